-- Checks the options of one call against the table of options and keeps the good ones as copies, so that what the
-- caller does to its tables later changes no definition.
local json = require "luaflow.json"
local names = require "luaflow.names"
local nearest = require "luaflow.nearest"
local options = require "luaflow.options"
local sorted_keys = require "luaflow.sorted_keys"
local value = require "luaflow.value"

local validate = {}

---@alias luaflow.Report fun(code: string, message: string, hint: string?)

-- A value as a message shows it.
local function shown(given)
  if type(given) == "string" then return #given <= 60 and "'" .. given .. "'" or "'" .. given:sub(1, 57) .. "...'" end
  if type(given) == "table" then return "a table" end
  if type(given) == "function" then return "a function" end
  if given == nil then return "nil" end
  return json.tostring(given)
end
validate.shown = shown

local function wrong_type(option, given, wanted, report, hint)
  report("wrong_type", ("%s must be %s, not %s"):format(option.name, wanted, shown(given)), hint)
end

local SECONDS = { [""] = 1, s = 1, sec = 1, m = 60, min = 60, h = 3600 }

-- How a number is written that was given as a text, such as "30s".
local function hint_at_number(option, given)
  local digits, unit = tostring(given):match "^%s*(%d+)%s*(%a*)%s*$"
  local factor = SECONDS[unit]
  if type(given) ~= "string" or not factor or unit ~= "" and not option.unit then return nil end
  return ("write %s = %d"):format(option.name, digits * factor)
end

-- One check for each type of option: returns the value to keep, or reports and returns nil.
local checks = {}

function checks.slug(option, given, report, call)
  if type(given) ~= "string" then
    local only = type(given) == "table" and #given == 1 and type(given[1]) == "string" and given[1]
    return wrong_type(option, given, "a string", report, only and ("write %s = %q"):format(option.name, only) or nil)
  end
  local fault = names.slug_fault(given)
  local name = option.name == "slug" and ("the %s's slug"):format(call == "flow" and "flow" or "step") or option.name
  if not fault then return given end
  local spelling = names.slug_spelling(given)
  report("invalid_slug", ("%s %s %s"):format(name, shown(given), fault), spelling and ("write %q"):format(spelling) or nil)
end

function checks.integer(option, given, report)
  if type(given) ~= "number" then
    return wrong_type(option, given, option.unit and "a number of " .. option.unit or "a number", report, hint_at_number(option, given))
  end
  if given ~= math.floor(given) or given < option.min or given > option.max then
    return report("out_of_range", ("%s must be a whole number from %d to %d, not %s"):format(
      option.name, option.min, option.max, shown(given)))
  end
  return given
end

function checks.slugs(option, given, report)
  if type(given) ~= "table" then
    local hint = type(given) == "string" and ("write { %q }"):format(given) or nil
    return report("wrong_type", ("%s must be a list of slugs, not %s"):format(option.name, shown(given)), hint)
  end
  local count, slugs, seen = 0, {}, {}
  for _ in pairs(given) do count = count + 1 end
  if count ~= #given then return wrong_type(option, given, "a list of slugs without holes or keys", report) end
  if count == 0 then return report("empty_dependencies", ("%s is empty: leave it out"):format(option.name)) end
  for i, slug in ipairs(given) do
    if type(slug) ~= "string" then
      report("wrong_type", ("element %d of %s is %s"):format(i, option.name, shown(slug)), "it is a list of slugs")
    elseif seen[slug] then
      report("duplicate_dependency", ("%s names %s twice"):format(option.name, shown(slug)), "name it once")
    else
      slugs[#slugs + 1], seen[slug] = slug, true
    end
  end
  return slugs
end

function checks.pattern(option, given, report)
  local form = ("write %s = { KEY = VALUE }"):format(option.name)
  if type(given) ~= "table" then return wrong_type(option, given, "a JSON object", report, form) end
  local copy, message = value.copy(given, option.name)
  if message then return report("invalid_pattern", message, "a pattern is compared with JSON: it holds no other values, and no code") end
  if not value.is_object(copy) then
    return report("invalid_pattern", ("%s must be a JSON object, not an array"):format(option.name), form)
  end
  return copy
end

function checks.choice(option, given, report)
  for _, choice in ipairs(option.choices) do
    if given == choice then return given end
  end
  local choices = table.concat(option.choices, '", "'):gsub('(.*)", "', '%1" or "')
  local message = ('%s must be "%s", not %s'):format(option.name, choices, shown(given))
  report("wrong_value", message, nearest.hint(given, option.choices))
end

function checks.boolean(option, given, report)
  if type(given) ~= "boolean" then
    return wrong_type(option, given, "true or false", report, ("write %s = true, without quotes, or leave it out"):format(option.name))
  end
  return given
end

function checks.queue(option, given, report)
  if type(given) ~= "string" then return wrong_type(option, given, "a string", report) end
  local fault = names.queue_fault(given)
  if not fault then return given end
  local spelling = names.queue_spelling(given)
  report("invalid_queue_name", ("%s %s %s"):format(option.name, shown(given), fault),
    spelling and ("write %q"):format(spelling) or nil)
end

function checks.name(option, given, report)
  if type(given) ~= "string" then return wrong_type(option, given, "a string", report) end
  if given == "" or given:find "%c" then
    return report("wrong_value", ("%s must not be empty or have control characters"):format(option.name))
  end
  return given
end

function checks.routes(option, given, report)
  if type(given) ~= "table" then return wrong_type(option, given, "a table of step slug -> queue", report) end
  local routes = {}
  for slug, queue in pairs(given) do
    routes[slug] = checks.queue({ name = ("the route of %s"):format(shown(slug)) }, queue, report)
  end
  return routes
end

-- What the list holds is checked by luaflow.worker, which knows flows.
function checks.flows(option, given, report)
  if type(given) ~= "table" or getmetatable(given) ~= nil then
    return wrong_type(option, given, "a list of deployed flows", report, "write flows = { ... }, also for a single one")
  end
  local list = {}
  for i = 1, table.maxn(given) do list[i] = given[i] == nil and json.null or given[i] end
  return list
end

local DEPLOYMENT_HINTS = {
  queue = 'route steps with luaflow.deploy(flow, { routes = { STEP = "QUEUE" } })',
  routes = 'route steps with luaflow.deploy(flow, { routes = { STEP = "QUEUE" } })',
  alias = 'name the alias in luaflow.deploy(flow, { alias = "ALIAS" })',
}

-- What a call takes in the place of an option of other calls.
local COUNTERPARTS = {
  map = { depends_on = "a map takes `array`, the one step whose output it maps over" },
  step = { array = "a step takes `depends_on`; a map takes `array`" },
  array = { array = "an array step takes `depends_on`; a map takes `array`" },
}

-- What other systems call an option.
local SYNONYMS = {
  max_attempts = { "retries", "max_retries", "attempts", "retry", "retry_limit", "tries" },
  base_delay = { "backoff", "retry_delay", "delay", "retry_backoff", "delay_seconds" },
  timeout = { "timeout_ms", "timeout_s", "timeout_seconds", "max_time", "deadline" },
  slug = { "name", "id", "step", "title" },
  depends_on = { "after", "needs", "requires", "deps", "dependencies", "depends", "parents" },
  array = { "over", "items", "each", "input", "foreach" },
  only_if = { "condition", "when", "if", "where", "run_if" },
  unless = { "skip_if", "if_not" },
  when_exhausted = { "on_failure", "on_error", "when_failed" },
  when_element_exhausted = { "when_element_failed", "on_element_failure", "on_element_error", "allow_failures" },
  start_delay = { "wait", "delay_start", "initial_delay" },
  transaction = { "transactional", "tx", "atomic" },
}
local MEANT = {}
for name, others in pairs(SYNONYMS) do
  for _, other in ipairs(others) do MEANT[other] = name end
end

-- What was meant by an option that no call takes.
local function hint_at_unknown(key, given, known)
  if type(given) == "function" then return "the handler is the second argument: (options, handler)" end
  if type(key) == "number" then return type(given) == "string" and ("name it: slug = %q"):format(given) or "name every option" end
  local meant = MEANT[key]
  for _, name in ipairs(known) do
    if name == meant then return ("did you mean %q?"):format(name) end
  end
  return nearest.hint(key, known) or "it takes " .. table.concat(known, ", ")
end

local function report_unknown(call, key, given, known, report)
  local option = options.find(key)
  if not option then
    return report("unknown_option", ("unknown option %s"):format(shown(key)), hint_at_unknown(key, given, known))
  end
  local hint = call ~= "worker" and DEPLOYMENT_HINTS[key] or COUNTERPARTS[call] and COUNTERPARTS[call][key]
  if not hint then
    hint = ("it is one of %s"):format(table.concat(option.of, ", "))
  end
  report("misplaced_option", ("%s is not an option of %s"):format(key, call), hint)
end

-- How the options are written that a call needs.
local FORMS = {
  slug = 'write slug = "NAME"', queue = 'write queue = "QUEUE", the one queue that the worker polls', flows = "write flows = { ... }",
}

-- How a call is written that was given a name alone.
local BY_NAME = {
  flow = "luaflow.flow { slug = %q }", deploy = "luaflow.deploy(flow, { alias = %q })",
  worker = "luaflow.worker { queue = %q, flows = { ... } }",
}
for _, method in ipairs { "step", "array", "map" } do BY_NAME[method] = ":" .. method .. "({ slug = %q }, handler)" end

-- A check answers the value to keep, or nil: never what the report answers.
local function checked(option, given, report, call)
  return (checks[option.type](option, given, function(...) report(...) end, call))
end

--- The good options of a call, copied. Everything else is reported.
---@param call string "flow", "step", "array", "map", "deploy" or "worker"
---@param given any what the caller passed as its table of options
---@param report luaflow.Report
---@return table
function validate.options(call, given, report)
  if type(given) ~= "table" or getmetatable(given) ~= nil then
    local hint = type(given) == "string" and BY_NAME[call] and ("write " .. BY_NAME[call]):format(given) or nil
    report("wrong_arguments", ("%s takes a table of options, not %s"):format(call, shown(given)), hint)
    return {}
  end
  local good, names_of_call, known = {}, {}, {}
  for i, option in ipairs(options.of(call)) do
    names_of_call[i], known[option.name] = option.name, true
    if given[option.name] ~= nil then
      good[option.name] = checked(option, given[option.name], report, call)
    elseif option.required then
      report("missing_option", ("%s is missing"):format(option.name), FORMS[option.name])
    end
  end
  for _, key in ipairs(sorted_keys(given)) do
    if not known[key] then report_unknown(call, key, given[key], names_of_call, report) end
  end
  return good
end

return validate
