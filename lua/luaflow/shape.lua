-- Builds the shape of a flow as the database stores and compares it, with its runtime options beside it.
local json = require "luaflow.json"
local options = require "luaflow.options"

local shape = {}

local function pattern(given)
  return given and { defined = true, value = given } or { defined = false }
end

local function sorted_copy(list)
  local copy = {}
  for i, element in ipairs(list) do copy[i] = element end
  table.sort(copy)
  return json.array(copy)
end

local function runtime_options(given)
  return json.object {
    maxAttempts = given.max_attempts,
    baseDelay = given.base_delay,
    timeout = given.timeout,
    startDelay = given.start_delay,
  }
end

local function step_shape(step)
  local given = step.options
  return {
    slug = step.slug,
    stepType = step.kind == "map" and "map" or "single",
    kind = step.kind,
    transaction = given.transaction or false,
    dependencies = sorted_copy(step.dependencies),
    whenUnmet = given.when_unmet or "skip",
    whenExhausted = given.when_exhausted or "fail",
    whenElementExhausted = given.when_element_exhausted,
    requiredInputPattern = pattern(given.only_if),
    forbiddenInputPattern = pattern(given.unless),
    options = runtime_options(given),
  }
end

--- The shape of a definition, as a table to be encoded as JSON.
---@param definition luaflow.Definition
---@return table
function shape.of(definition)
  local effective, steps = {}, json.array()
  for name, default in pairs(options.FLOW_DEFAULTS) do effective[name] = definition.options[name] or default end
  for i, step in ipairs(definition.steps) do steps[i] = step_shape(step) end
  return { options = runtime_options(effective), steps = steps }
end

return shape
