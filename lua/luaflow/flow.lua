-- Builds flows. A flow is immutable: every method returns a new one. A method never raises on a bad definition: it
-- records the problem in the flow that it returns, so that one load reports all of them.
local condition = require "luaflow.condition"
local nearest = require "luaflow.nearest"
local position = require "luaflow.position"
local problems = require "luaflow.problems"
local validate = require "luaflow.validate"

local flow = {
  ---@type fun(definition: luaflow.Definition)? called for each new flow; set while modules load
  on_new = nil,
}

-- The private key of a flow: its definition.
local DEFINITION = {}

---@class luaflow.Definition what a flow is; read-only
---@field slug string?
---@field options table max_attempts, base_delay, timeout: those given
---@field steps luaflow.Step[] in their order
---@field problems table[]
---@field where luaflow.Place of the call to luaflow.flow
---@field last luaflow.Place of the last call of the chain
---@field extensions luaflow.Definition[] what its methods returned

---@class luaflow.Step
---@field slug string
---@field kind "single"|"array"|"map"
---@field dependencies string[] in the order given
---@field options table those given, apart from slug and dependencies
---@field handler function
---@field where luaflow.Place

---@class luaflow.Flow<F> F: a class with a field for each step, as `luaflow types` writes it
---@field slug string
local methods = {}

local flow_mt = { __metatable = "luaflow.Flow" }

local function make(definition)
  return setmetatable({ [DEFINITION] = definition }, flow_mt)
end

--- The definition of a flow; nil for any other value.
---@param given any
---@return luaflow.Definition?
function flow.definition(given)
  return type(given) == "table" and rawget(given, DEFINITION) or nil
end

--- Whether the definition, or one that it was extended to, is among those used.
---@param definition luaflow.Definition
---@param used table<luaflow.Definition, true>
---@return boolean
function flow.is_used(definition, used)
  if used[definition] then return true end
  for _, extension in ipairs(definition.extensions) do
    if flow.is_used(extension, used) then return true end
  end
  return false
end

--- Finds calls whose result was dropped: the flow that they returned is not used, while the flow without that step is.
---@param used table<luaflow.Definition, true>
---@return table[] see luaflow.problems
function flow.dropped(used)
  local found = {}
  for definition in pairs(used) do
    for _, extension in ipairs(#definition.steps > 0 and definition.extensions or {}) do
      if not flow.is_used(extension, used) then
        local step = extension.steps[#definition.steps + 1]
        found[#found + 1] = problems.new(extension.last, { flow = definition.slug, step = step and step.slug }, "dropped_step",
          "the flow that this call returns is not used, so its step is lost",
          "chain the call, or write flow = flow:step(...): a flow is immutable, and its methods return a new one")
      end
    end
  end
  return found
end

local function copy_list(list)
  local copy = {}
  for i, element in ipairs(list) do copy[i] = element end
  return copy
end

-- A copy of the definition that may be added to.
local function extend(definition, where)
  local extension = {
    slug = definition.slug, options = definition.options, where = definition.where, last = where, extensions = {},
    steps = copy_list(definition.steps), problems = copy_list(definition.problems),
  }
  definition.extensions[#definition.extensions + 1] = extension
  return extension
end

-- Called with a dot, a method gets the options in the place of the flow, and the handler in that of the options.
local function definition_of(self, method, handler)
  local definition = flow.definition(self)
  if definition then return definition end
  local info = type(handler) == "function" and debug.getinfo(handler, "S") or {}
  local place = (info.linedefined or 0) > 0 and ("%s:%d: "):format(info.short_src, info.linedefined)
  error(("%sluaflow: call it with a colon: flow:%s"):format(place or "", method), place and 0 or 3)
end

-- A report function for validate that records in a definition. It returns the problem.
local function reporter(definition, where, step)
  return function(code, message, hint)
    local problem = problems.new(where, { flow = definition.slug, step = step }, code, message, hint)
    definition.problems[#definition.problems + 1] = problem
    return problem
  end
end

local function find_step(definition, slug)
  for _, step in ipairs(definition.steps) do
    if step.slug == slug then return step end
  end
end

local function check_dependencies(definition, slug, dependencies, report)
  local known = {}
  for i, step in ipairs(definition.steps) do known[i] = step.slug end
  local good = {}
  for _, dependency in ipairs(dependencies) do
    if find_step(definition, dependency) then
      good[#good + 1] = dependency
    elseif dependency == slug then
      report("unknown_dependency", ("step %s depends on itself"):format(validate.shown(slug)))
    else
      local message = ("step %s depends on %s, but no step %s is defined before it"):format(
        validate.shown(slug), validate.shown(dependency), validate.shown(dependency))
      report("unknown_dependency", message, nearest.hint(dependency, known)).missing = dependency
    end
  end
  return good
end

local function check_condition(definition, method, good, dependencies, report)
  local steps = {}
  for i, slug in ipairs(dependencies) do steps[i] = find_step(definition, slug) end
  condition.check(method, good, steps, report)
end

-- Steps that wanted the one that is defined now learn that it came too late.
local function hint_at_order(definition, step)
  for i, problem in ipairs(definition.problems) do
    if problem.missing == step.slug then
      local hint = ("it is defined later%s: a step follows what it depends on"):format(problems.at(step.where))
      for _, slug in ipairs(step.dependencies) do
        if slug == problem.step then hint = ("%s and %s depend on each other: leave one of the two out"):format(slug, step.slug) end
      end
      local subject = { flow = problem.flow, step = problem.step }
      definition.problems[i] = problems.new(problem.where, subject, problem.code, problem.message, hint)
    end
  end
end

local KIND = { step = "single", array = "array", map = "map" }

local function string_or_nil(given)
  return type(given) == "string" and given or nil
end

local function add_step(definition, method, opts, handler, where)
  local result = extend(definition, where)
  local name = type(opts) == "table" and string_or_nil(rawget(opts, "slug")) or nil
  local report = reporter(result, where, name)
  local good = validate.options(method, opts, report)
  if type(handler) ~= "function" then
    local is_swapped = type(opts) == "function" and type(handler) == "table"
    report("missing_handler", ("the second argument must be the handler, a function, not %s"):format(validate.shown(handler)),
      is_swapped and "the options come first, then the handler" or "of a function with a name write work, without ()")
  end
  if good.when_unmet and not (good.only_if or good.unless) and opts.only_if == nil and opts.unless == nil then
    report("missing_condition", "when_unmet needs a condition: only_if or unless")
  end
  if good.when_element_exhausted == "null" and good.when_exhausted then
    report("unused_option", 'when_exhausted never applies with when_element_exhausted = "null": a failed element gives null',
      "leave one of them out")
  end
  local wanted = good.depends_on or { good.array }
  local dependencies = check_dependencies(definition, name, wanted, report)
  if #dependencies == #wanted then check_condition(definition, method, good, dependencies, report) end
  local first = name and find_step(definition, name)
  if first then
    report("duplicate_slug", ("step %s is already defined%s"):format(validate.shown(name), problems.at(first.where)),
      "give one of them another slug")
  elseif name then
    good.slug, good.depends_on, good.array = nil, nil, nil
    local step = {
      slug = name, kind = KIND[method], dependencies = dependencies, options = good, handler = handler, where = where,
    }
    result.steps[#result.steps + 1] = step
    hint_at_order(result, step)
  end
  return make(result)
end

---@class (exact) luaflow.FlowOptions
---@field slug string letter or `_`, then letters, digits, `_`; at most 128; not `run`
---@field max_attempts? integer attempts of a task, the first one included
---@field base_delay? integer seconds; the n-th retry waits base_delay * 2^n, at most 24 h
---@field timeout? integer seconds that an attempt may take

--- A new flow without steps.
---@param opts luaflow.FlowOptions
---@return luaflow.Flow<any>
function flow.new(opts)
  local where = position.of_call "flow"
  local definition = { steps = {}, problems = {}, where = where, last = where, extensions = {} }
  definition.slug = type(opts) == "table" and string_or_nil(rawget(opts, "slug")) or nil
  definition.options = validate.options("flow", opts, reporter(definition, where))
  definition.options.slug = nil
  if flow.on_new then flow.on_new(definition) end
  return make(definition)
end

---@alias luaflow.Mode "fail"|"skip"|"skip-cascade"

---@class (exact) luaflow.CommonOptions: luaflow.FlowOptions what every kind of step takes
---@field start_delay? integer seconds before the first attempt
---@field only_if? table a JSON object: the step runs only if what it gets contains it
---@field unless? table a JSON object: the step runs only if what it gets does not contain it
---@field when_unmet? luaflow.Mode what a condition that is not met does
---@field when_exhausted? luaflow.Mode what a task that failed for good does
---@field transaction? boolean the task's SQL and its completion are one transaction

---@class (exact) luaflow.StepOptions: luaflow.CommonOptions
---@field depends_on? string[] steps defined before

---@class (exact) luaflow.MapOptions: luaflow.CommonOptions
---@field array? string the step whose output is mapped over; without it the run's input
---@field when_element_exhausted? "fail"|"null" null: the output of an element that failed for good is null, the step goes on

---@class (exact) luaflow.TransactionStepOptions: luaflow.StepOptions
---@field transaction true its handler has ctx.tx

---@class (exact) luaflow.TransactionMapOptions: luaflow.MapOptions
---@field transaction true its handler has ctx.tx

--- A new flow with one more step of a single task. Its handler gets the run's input, or a table of the outputs of its
--- dependencies.
---@overload fun(self: self, opts: luaflow.TransactionStepOptions, handler: fun(input: any, ctx: luaflow.TransactionContext): any): self
---@param opts luaflow.StepOptions
---@param handler fun(input: any, ctx: luaflow.Context): any
---@return self
function methods:step(opts, handler)
  local definition = definition_of(self, "step(options, handler)", opts)
  local where = position.of_call("step", handler, definition.last)
  return add_step(definition, "step", opts, handler, where)
end

--- A new flow with one more step of a single task, whose output must be a JSON array.
---@overload fun(self: self, opts: luaflow.TransactionStepOptions, handler: fun(input: any, ctx: luaflow.TransactionContext): any[]): self
---@param opts luaflow.StepOptions
---@param handler fun(input: any, ctx: luaflow.Context): any[]
---@return self
function methods:array(opts, handler)
  local definition = definition_of(self, "array(options, handler)", opts)
  local where = position.of_call("array", handler, definition.last)
  return add_step(definition, "array", opts, handler, where)
end

--- A new flow with one more step of one task for each element of an array.
---@overload fun(self: self, opts: luaflow.TransactionMapOptions, handler: fun(element: any, ctx: luaflow.TransactionContext): any): self
---@param opts luaflow.MapOptions
---@param handler fun(element: any, ctx: luaflow.Context): any
---@return self
function methods:map(opts, handler)
  local definition = definition_of(self, "map(options, handler)", opts)
  local where = position.of_call("map", handler, definition.last)
  return add_step(definition, "map", opts, handler, where)
end

local METHOD_NAMES = { "step", "array", "map" }

-- Stands for a method that does not exist: records that as a problem.
local function unknown_method(name)
  return function(self, opts, handler)
    local definition = definition_of(self, name, opts)
    local where = position.of_call(name, handler, definition.last)
    local result = extend(definition, where)
    local message = ("a flow has no method %s"):format(validate.shown(name))
    local hint = nearest.hint(name, METHOD_NAMES) or "it has step, array and map"
    reporter(result, where)("unknown_method", message, hint)
    return make(result)
  end
end

function flow_mt.__index(self, key)
  if methods[key] then return methods[key] end
  if key == "slug" then return flow.definition(self).slug end
  return type(key) == "string" and unknown_method(key) or nil
end

function flow_mt.__newindex(_, key)
  error(("a flow is immutable: %s cannot be set"):format(tostring(key)), 2)
end

function flow_mt.__tostring(self)
  return ("luaflow.Flow %s"):format(tostring(flow.definition(self).slug))
end

return flow
