-- Makes a case that differs as small as it will go: leaves things out for as long as a difference stays.
local compare = require "spec.model.compare"
local luaflow = require "luaflow"
local wait = require "spec.support.wait"

local shrink = {}

local COPIES = 8 -- of a case, each of which meets another order
local SECONDS = 60

local function copy(value)
  if type(value) ~= "table" then return value end
  local result = {}
  for key, element in pairs(value) do result[key] = copy(element) end
  return setmetatable(result, getmetatable(value))
end

local function is_array(value)
  return type(value) == "table" and getmetatable(value) == getmetatable(luaflow.array())
end

local function truncated(array, length)
  local result = luaflow.array()
  for i = 1, length do result[i] = array[i] end
  return result
end

-- The finding of one of several copies of the case; nil where none differs.
local function try(case, connections)
  local copies = {}
  for i = 1, COPIES do
    copies[i] = copy(case)
    copies[i].slug = case.slug .. "_" .. i
  end
  local verdict = compare.cases(copies, { connections = connections, schedule = case.seed, checked = true })
  if verdict.findings[1] then return verdict.findings[1] end
  if verdict.complaints[1] then return { case = copies[1], differences = verdict.complaints } end
end

-- Takes a step out, and with it the maps that are left with nothing to read.
local function drop_step(case, slug)
  local kept, orphans = {}, {}
  for _, step in ipairs(case.steps) do
    local deps = {}
    for _, dep in ipairs(step.deps) do
      if dep ~= slug then deps[#deps + 1] = dep end
    end
    if step.slug ~= slug then
      kept[#kept + 1] = step
      for _, name in ipairs { "only_if", "unless" } do
        if #deps < #step.deps and step.options[name] then step.options[name][slug] = nil end
      end
      if #deps == 0 and #step.deps > 0 then
        step.options.only_if, step.options.unless, step.options.when_unmet = nil, nil, nil
        if step.kind == "map" and not is_array(case.runs[1].input) then orphans[#orphans + 1] = step.slug end
      end
      step.deps = deps
    end
  end
  case.steps = kept
  for _, orphan in ipairs(orphans) do drop_step(case, orphan) end
end

local function add_step_changes(add, case)
  for i = #case.steps, 1, -1 do
    local slug = case.steps[i].slug
    add(function(smaller) drop_step(smaller, slug) end)
  end
end

local OPTIONS = { "max_attempts", "base_delay", "timeout", "start_delay", "when_exhausted", "when_element_exhausted", "when_unmet",
  "unless", "only_if" }

local function add_option_changes(add, case)
  for i, step in ipairs(case.steps) do
    for _, name in ipairs(OPTIONS) do
      if step.options[name] ~= nil then
        add(function(smaller)
          local options = smaller.steps[i].options
          options[name] = nil
          if not options.only_if and not options.unless then options.when_unmet = nil end
        end)
      end
    end
    if step.queue ~= 1 then add(function(smaller) smaller.steps[i].queue = 1 end) end
    for j = 1, #step.deps > 1 and #step.deps or 0 do
      add(function(smaller)
        local gone = table.remove(smaller.steps[i].deps, j)
        for _, name in ipairs { "only_if", "unless" } do
          if smaller.steps[i].options[name] then smaller.steps[i].options[name][gone] = nil end
        end
      end)
    end
  end
end

local function shorten_outputs(list, length)
  for _, outcome in ipairs(list) do
    if is_array(outcome.output) and #outcome.output > length then outcome.output = truncated(outcome.output, length) end
  end
end

local function has(list, test)
  for _, outcome in ipairs(list) do
    if test(outcome) then return true end
  end
  return false
end

local function add_outcome_changes(add, r, slug, list)
  if has(list, function(outcome) return outcome.kind ~= "complete" end) then
    add(function(smaller)
      for _, outcome in ipairs(smaller.runs[r].outcomes[slug]) do outcome.kind = "complete" end
    end)
  end
  if has(list, function(outcome) return outcome.again end) then
    add(function(smaller)
      for _, outcome in ipairs(smaller.runs[r].outcomes[slug]) do outcome.again, outcome.again_kind = nil, nil end
    end)
  end
  for _, length in ipairs { 0, 1, 2, 5 } do
    if has(list, function(outcome) return is_array(outcome.output) and #outcome.output > length end) then
      add(function(smaller) shorten_outputs(smaller.runs[r].outcomes[slug], length) end)
    end
  end
end

local function add_run_changes(add, case)
  for r, run in ipairs(case.runs) do
    if #case.runs > 1 then add(function(smaller) table.remove(smaller.runs, r) end) end
    if run.cancel then add(function(smaller) smaller.runs[r].cancel = nil end) end
    for _, length in ipairs { 0, 1, 2, 5 } do
      if is_array(run.input) and #run.input > length then
        add(function(smaller) smaller.runs[r].input = truncated(smaller.runs[r].input, length) end)
      end
    end
    for _, step in ipairs(case.steps) do add_outcome_changes(add, r, step.slug, run.outcomes[step.slug]) end
  end
end

-- The ways to make a case smaller, the large ones first.
local function changes_of(case)
  local changes = {}
  local function add(change) changes[#changes + 1] = change end
  add_run_changes(add, { runs = #case.runs > 1 and case.runs or {}, steps = {} })
  add_step_changes(add, case)
  add_run_changes(add, case)
  add_option_changes(add, case)
  return changes
end

-- The first smaller case that still differs.
local function step_down(case, connections, deadline)
  for _, change in ipairs(changes_of(case)) do
    if wait.now() > deadline then return nil end
    local smaller = copy(case)
    change(smaller)
    if #smaller.steps > 0 then
      local finding = try(smaller, connections)
      if finding then return smaller, finding end
    end
  end
end

--- A finding of the smallest case found that differs as well, with one session if that suffices; the given one where the
--- difference does not come back.
---@param finding model.Finding
---@param connections integer
---@return model.Finding
function shrink.finding(finding, connections)
  local deadline = wait.now() + SECONDS
  local case = finding.case
  local found = try(case, 1)
  if found then connections = 1 else found = try(case, connections) end
  if not found then return finding end
  while true do
    local smaller, next_found = step_down(case, connections, deadline)
    if not smaller then return found end
    case, found = smaller, next_found
  end
end

return shrink
