-- A run in memory: the semantics of flows as the documents state them, driven task by task. It knows no handlers, queues
-- or workers, and its clock moves only when its caller says so.
local contains = require "luaflow.testing.contains"
local json = require "luaflow.json"
local plan = require "luaflow.testing.plan"
local progress = require "luaflow.testing.progress"
local value = require "luaflow.value"

local model = {}

-- The longest backoff, in seconds.
local MAX_BACKOFF = 24 * 60 * 60

---@class luaflow.testing.Model
---@field now number the virtual clock: seconds since the run was started
local methods = {}
methods.__index = methods

local function copied(given, root)
  local copy, message = value.copy(given, root)
  if message then error(message, 0) end
  return copy
end

-- Values in the model are never changed, so they are copied where they come in and where they go out.
local function handed_out(given)
  if type(given) == "table" then return (value.copy(given, "value")) end
  return given
end

-- ---- starting ----

local function check_input(definition, steps, input)
  for _, step in ipairs(steps) do
    if step.is_map and #step.dependencies == 0 and contains.type_of(input) ~= "array" then
      error(("Flow %s has root map steps but input is not an array (got %s)"):format(
        definition.slug, contains.type_of(input)), 0)
    end
  end
end

local function initial_tasks(step, input)
  if not step.is_map then return 1 end
  if #step.dependencies == 0 then return #input end
end

--- Starts a run of a flow. Raises for a flow with problems, for an input that is no JSON, and where a map reads an input that
--- is no array.
---@param flow luaflow.Flow|luaflow.DeployedFlow
---@param input any nil is null; an unmarked empty table is `{}`
---@return luaflow.testing.Model
function model.start(flow, input)
  local definition = plan.definition(flow, "model", 2)
  local steps = plan.steps(definition)
  input = copied(input, "input")
  check_input(definition, steps, input)
  local run = setmetatable({
    now = 0, status = "started", input = input, steps = steps, states = {}, remaining_steps = #steps,
  }, methods)
  for _, step in ipairs(steps) do
    run.states[step.slug] = {
      status = "created", initial_tasks = initial_tasks(step, input), remaining_deps = #step.dependencies, failed_tasks = 0,
      tasks = {},
    }
  end
  progress.settle(run)
  return run
end

-- ---- driving ----

-- A task that may be in that status now, with its step and the step's state; nil if it is not.
local function find(run, slug, index, status)
  local step, state = run.steps[slug], run.states[slug]
  local task = state and state.tasks[index]
  if task and task.status == status then return task, step, state end
end

--- The queued tasks, in order of their steps and indexes.
---@return { step: string, index: integer, visible_at: number }[] seconds since the run was started
function methods:queued()
  local list = {}
  for _, step in ipairs(self.steps) do
    local state = self.states[step.slug]
    for index = 0, state.status == "started" and state.initial_tasks - 1 or -1 do
      local task = state.tasks[index]
      if task.status == "queued" then
        list[#list + 1] = { step = step.slug, index = index, visible_at = task.visible_at }
      end
    end
  end
  return list
end

--- Is the task claimed, and neither put back nor ended since?
---@param slug string
---@param index integer counts from 0
---@return boolean
function methods:is_started(slug, index)
  return find(self, slug, index, "started") ~= nil
end

local function is_plain_root(step)
  return not step.is_map and #step.dependencies == 0
end

local function input_of(run, step, index)
  if is_plain_root(step) then return run.input end
  if not step.is_map then return progress.outputs_of_dependencies(run, step) end
  local parent = step.dependencies[1]
  local array = parent and run.states[parent].output or run.input
  return array[index + 1]
end

--- Claims a queued task, visible or not: an attempt begins.
---@param slug string
---@param index integer counts from 0
---@return { input: any, flow_input: any, attempt: integer, max_attempts: integer }? nil where it is not queued. The input is what
--- the handler gets; flow_input, the run's input, is there for a root step that is no map
function methods:claim(slug, index)
  local task, step = find(self, slug, index, "queued")
  if not task then return nil end
  task.status, task.attempts = "started", task.attempts + 1
  local flow_input
  if is_plain_root(step) then flow_input = handed_out(self.input) end
  return {
    input = handed_out(input_of(self, step, index)), flow_input = flow_input,
    attempt = task.attempts, max_attempts = step.max_attempts,
  }
end

-- An element that failed for good gives null.
local function outputs_of_tasks(state)
  local outputs = json.array()
  for index = 0, state.initial_tasks - 1 do
    local output = state.tasks[index].output
    outputs[index + 1] = output == nil and json.null or output
  end
  return outputs
end

-- One more task is done; the last one completes the step.
local function finish_task(run, step, state)
  state.remaining_tasks = state.remaining_tasks - 1
  if state.remaining_tasks > 0 then return end
  progress.complete_step(run, step, step.is_map and outputs_of_tasks(state) or state.tasks[0].output)
  progress.settle(run)
end

-- The first map that would read the step's output; nil where none does, or where a map gives it.
local function reading_map(step)
  if step.is_map then return nil end
  for _, dependent in ipairs(step.dependents) do
    if dependent.is_map then return dependent end
  end
end

local function violate_type(run, task, step, map)
  local kind = contains.type_of(task.output)
  task.status = "failed"
  task.error_message = ("[TYPE_VIOLATION] Produced %s instead of array"):format(kind)
  progress.fail_step(run, step, ("[TYPE_VIOLATION] Map step %s expects array input but dependency %s produced %s"):format(
    map.slug, step.slug, kind))
end

--- Completes a started task.
---@param slug string
---@param index integer counts from 0
---@param output any nil is null; an unmarked empty table is `{}`
---@return "done"|"stale" stale: not started; nothing has changed
function methods:complete(slug, index, output)
  local task, step, state = find(self, slug, index, "started")
  if not task then return "stale" end
  task.output = copied(output, "output")
  local map = reading_map(step)
  if map and contains.type_of(task.output) ~= "array" then
    violate_type(self, task, step, map)
    return "done"
  end
  task.status = "completed"
  finish_task(self, step, state)
  return "done"
end

--- The seconds until the next attempt after that many: `base_delay * 2^attempts`, at most 24 h.
---@param base_delay number seconds
---@param attempts integer those counted, the failed one included
---@return integer
function model.retry_delay(base_delay, attempts)
  if base_delay == 0 then return 0 end
  return math.min(math.floor(base_delay * 2 ^ attempts), MAX_BACKOFF)
end

local function cut(delay) return math.min(delay, MAX_BACKOFF) end

local function put_back(run, task, delay)
  task.status, task.visible_at = "queued", run.now + delay
end

local function exhaust(run, task, step, message)
  local state = run.states[step.slug]
  task.status = "failed"
  if step.when_element_exhausted == "null" then
    state.failed_tasks = state.failed_tasks + 1
    return finish_task(run, step, state)
  end
  if step.when_exhausted == "fail" then return progress.fail_step(run, step, message) end
  state.error_message = message
  progress.skip(run, step, "handler_failed", step.when_exhausted)
  progress.settle(run)
end

---@class luaflow.testing.Failure
---@field message string?
---@field delay number? seconds; nil for backoff
---@field permanent boolean? no more attempts
---@field free boolean? put back without costing an attempt, as by snooze

--- Ends the attempt of a started task as failed.
---@param slug string
---@param index integer counts from 0
---@param failure luaflow.testing.Failure
---@return "done"|"stale" stale: not started; nothing has changed
function methods:fail(slug, index, failure)
  local task, step = find(self, slug, index, "started")
  if not task then return "stale" end
  task.error_message = failure.message
  if failure.permanent then
    exhaust(self, task, step, failure.message)
  elseif failure.free then
    task.attempts = task.attempts - 1
    put_back(self, task, cut(failure.delay or 0))
  elseif task.attempts < step.max_attempts then
    put_back(self, task, cut(failure.delay or model.retry_delay(step.base_delay, task.attempts)))
  else
    exhaust(self, task, step, failure.message)
  end
  return "done"
end

--- Puts a started task back at once; no attempt is counted and nothing is stored.
---@param slug string
---@param index integer counts from 0
---@return "done"|"stale" stale: not started; nothing has changed
function methods:release(slug, index)
  local task = find(self, slug, index, "started")
  if not task then return "stale" end
  task.attempts = task.attempts - 1
  put_back(self, task, 0)
  return "done"
end

--- Cancels the run.
---@param reason string?
---@return boolean false: it had ended already
function methods:cancel(reason)
  if self.status ~= "started" then return false end
  progress.end_run(self, "cancelled", reason)
  return true
end

--- Moves the clock.
---@param seconds number
function methods:advance(seconds)
  self.now = self.now + seconds
end

---@class luaflow.testing.StepState
---@field status "created"|"started"|"completed"|"failed"|"skipped"
---@field output any absent unless completed
---@field skip_reason "condition_unmet"|"handler_failed"|"dependency_skipped"|nil
---@field error_message string?
---@field initial_tasks integer? absent while it is not known how many a map has
---@field remaining_tasks integer? absent before the step starts, and once it is skipped
---@field failed_tasks integer? elements of a map that failed for good and gave null; absent if there is none
---@field remaining_deps integer

---@class luaflow.testing.TaskState
---@field status "queued"|"started"|"completed"|"failed"|"skipped"|"cancelled"
---@field attempts integer
---@field output any
---@field error_message string? of the last attempt that failed

---@class luaflow.testing.State
---@field status "started"|"completed"|"failed"|"cancelled"
---@field output table? completed leaf steps by slug; absent where there is none
---@field error_message string?
---@field error_step_slug string?
---@field remaining_steps integer
---@field steps table<string, luaflow.testing.StepState>
---@field tasks table<string, table<integer, luaflow.testing.TaskState>> by slug and index, from 0; empty before the step starts

--- A copy of everything there is to know. Null is `luaflow.null`; what is absent is nil.
---@return luaflow.testing.State
function methods:state()
  local steps, tasks = {}, {}
  for slug, state in pairs(self.states) do
    steps[slug] = {
      status = state.status, output = handed_out(state.output), skip_reason = state.skip_reason,
      error_message = state.error_message, initial_tasks = state.initial_tasks,
      remaining_tasks = state.remaining_tasks, failed_tasks = state.failed_tasks > 0 and state.failed_tasks or nil,
      remaining_deps = state.remaining_deps,
    }
    tasks[slug] = {}
    for index, task in pairs(state.tasks) do
      tasks[slug][index] = {
        status = task.status, attempts = task.attempts, output = handed_out(task.output), error_message = task.error_message,
      }
    end
  end
  return {
    status = self.status, output = handed_out(self.output), error_message = self.error_message,
    error_step_slug = self.error_step_slug, remaining_steps = self.remaining_steps, steps = steps, tasks = tasks,
  }
end

return model
