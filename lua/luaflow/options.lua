-- The options of flows and steps, of deployments and of workers: one table says what each is of, its type and range,
-- its default and its meaning. Validation, hints and the author's guide all follow it.
local options = {}

-- Greatest number that an option takes; for seconds about 30 years.
local MOST = 1e9

local ALL_STEPS = { "step", "array", "map" }
local EVERYTHING = { "flow", "step", "array", "map" }
local MODES = { "fail", "skip", "skip-cascade" }

---@class luaflow.Option
---@field name string
---@field of string[] the calls that take it
---@field type "slug"|"integer"|"slugs"|"pattern"|"choice"|"boolean"|"routes"|"queue"|"name"|"flows"
---@field required? boolean
---@field default? string as the guide shows it
---@field min? integer
---@field max? integer
---@field unit? string what the number counts
---@field choices? string[]
---@field meaning string

---@type luaflow.Option[]
options.list = {
  { name = "slug", of = EVERYTHING, type = "slug", required = true,
    meaning = "letter or `_`, then letters, digits, `_`; at most 128; not `run`" },
  { name = "max_attempts", of = EVERYTHING, type = "integer", min = 1, max = MOST, default = "3",
    meaning = "attempts of a task, the first one included" },
  { name = "base_delay", of = EVERYTHING, type = "integer", unit = "seconds", min = 0, max = MOST, default = "5",
    meaning = "seconds; the n-th retry waits `base_delay * 2^n`, at most 24 h" },
  { name = "timeout", of = EVERYTHING, type = "integer", unit = "seconds", min = 1, max = MOST, default = "60",
    meaning = "seconds that an attempt may take" },
  { name = "depends_on", of = { "step", "array" }, type = "slugs", default = "none",
    meaning = "list of steps defined before; no duplicates; not empty" },
  { name = "array", of = { "map" }, type = "slug", default = "none",
    meaning = "the step whose output it maps over, defined before; without it the run's input" },
  { name = "start_delay", of = ALL_STEPS, type = "integer", unit = "seconds", min = 0, max = MOST, default = "0",
    meaning = "seconds before the first attempt" },
  { name = "only_if", of = ALL_STEPS, type = "pattern", default = "none",
    meaning = "runs only if what the step gets contains this JSON object" },
  { name = "unless", of = ALL_STEPS, type = "pattern", default = "none",
    meaning = "runs only if what the step gets does not contain this JSON object" },
  { name = "when_unmet", of = ALL_STEPS, type = "choice", choices = MODES, default = '"skip"',
    meaning = "what a condition that is not met does; only with a condition" },
  { name = "when_exhausted", of = ALL_STEPS, type = "choice", choices = MODES, default = '"fail"',
    meaning = "what a task that failed for good does" },
  { name = "when_element_exhausted", of = { "map" }, type = "choice", choices = { "fail", "null" }, default = '"fail"',
    meaning = '`"null"`: the output of an element that failed for good is null, and the step goes on' },
  { name = "transaction", of = ALL_STEPS, type = "boolean", default = "false",
    meaning = "the task's SQL and its completion are one transaction" },

  { name = "alias", of = { "deploy" }, type = "slug", default = "the flow's slug",
    meaning = "the stable name under which callers start runs" },
  { name = "routes", of = { "deploy" }, type = "routes", default = "none",
    meaning = "step slug -> queue; other steps go to the flow's slug in lower case" },

  { name = "queue", of = { "worker" }, type = "queue", required = true,
    meaning = "the one queue that the worker polls" },
  { name = "name", of = { "worker" }, type = "name", default = "the queue",
    meaning = "the worker function's name" },
  { name = "flows", of = { "worker" }, type = "flows", required = true,
    meaning = "list of deployed flows" },
}

--- The options that a call takes, in their order.
---@param call string "flow", "step", "array", "map", "deploy" or "worker"
---@return luaflow.Option[]
function options.of(call)
  local result = {}
  for _, option in ipairs(options.list) do
    for _, taker in ipairs(option.of) do
      if taker == call then result[#result + 1] = option end
    end
  end
  return result
end

--- The option of that name, whatever call takes it.
---@param name any
---@return luaflow.Option?
function options.find(name)
  for _, option in ipairs(options.list) do
    if option.name == name then return option end
  end
end

--- The shape options in force for a flow that gives none.
options.FLOW_DEFAULTS = { max_attempts = 3, base_delay = 5, timeout = 60 }

return options
