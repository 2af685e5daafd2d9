-- Prepares a flow for the model: its steps with every option in force, and which steps depend on which.
local deploy = require "luaflow.deploy"
local flow = require "luaflow.flow"
local options = require "luaflow.options"
local values = require "luaflow.values"

local plan = {}

---@class luaflow.testing.Step
---@field slug string
---@field is_map boolean
---@field dependencies string[]
---@field dependents luaflow.testing.Step[] in their order
---@field max_attempts integer
---@field base_delay integer seconds
---@field timeout integer seconds
---@field start_delay integer seconds
---@field only_if table?
---@field unless table?
---@field when_unmet "fail"|"skip"|"skip-cascade"
---@field when_exhausted "fail"|"skip"|"skip-cascade"
---@field when_element_exhausted "fail"|"null"

local function step_of(step, flow_options)
  local given = step.options
  local function effective(name)
    return given[name] or flow_options[name] or options.FLOW_DEFAULTS[name]
  end
  return {
    slug = step.slug, is_map = step.kind == "map", dependencies = step.dependencies, dependents = {},
    max_attempts = effective "max_attempts", base_delay = effective "base_delay", timeout = effective "timeout",
    start_delay = given.start_delay or 0, only_if = given.only_if, unless = given.unless,
    when_unmet = given.when_unmet or "skip", when_exhausted = given.when_exhausted or "fail",
    when_element_exhausted = given.when_element_exhausted or "fail",
  }
end

--- The steps of a definition, as a list in their order that has them by slug as well.
---@param definition luaflow.Definition
---@return luaflow.testing.Step[]
function plan.steps(definition)
  local steps = {}
  for i, defined in ipairs(definition.steps) do
    local step = step_of(defined, definition.options)
    for _, slug in ipairs(step.dependencies) do
      local dependents = steps[slug].dependents
      dependents[#dependents + 1] = step
    end
    steps[i], steps[step.slug] = step, step
  end
  return steps
end

local function describe(problem)
  local place = problem.file and ("%s:%s: "):format(problem.file, problem.line or "?") or ""
  local step = problem.step and ("'%s'"):format(problem.step)
  step = step and not problem.message:find(step, 1, true) and ("step %s: "):format(step) or ""
  local hint = problem.hint and (" (%s)"):format(problem.hint) or ""
  return ("\n  %s%s%s [%s]%s"):format(place, step, problem.message, problem.code, hint)
end

--- The definition of a flow, or of the flow of a deployed one. Raises at the level given for anything else and for one
--- that has problems.
---@param given luaflow.Flow|table
---@param name string the function that was called, for the message
---@param level integer as of `error`
---@return luaflow.Definition
function plan.definition(given, name, level)
  local kind = values.kind(given)
  if kind ~= "flow" and kind ~= "deployed" then
    error(("luaflow.testing.%s: a flow is needed, not a %s"):format(name, kind or type(given)), level + 1)
  end
  local found = values.problems(given)
  if #found > 0 then
    local lines = {}
    for i, problem in ipairs(found) do lines[i] = describe(problem) end
    error(("luaflow.testing.%s: the flow has problems:%s"):format(name, table.concat(lines)), level + 1)
  end
  return flow.definition(kind == "flow" and given or (deploy.deployment(given)).flow)
end

return plan
