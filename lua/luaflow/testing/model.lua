-- A run in memory: the semantics of flows as the documents state them, driven task by task. It knows no handlers, queues
-- or workers, and its clock moves only when its caller says so.
local contains = require "luaflow.testing.contains"
local json = require "luaflow.json"
local plan = require "luaflow.testing.plan"
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

-- ---- skipping and failing ----

-- Ends the tasks that are queued or started, those of one step or of the whole run.
local function end_tasks(state, status)
  for _, task in pairs(state.tasks) do
    if task.status == "queued" or task.status == "started" then task.status = status end
  end
end

local function end_run(run, status, message, slug)
  run.status, run.error_message, run.error_step_slug = status, message, slug
  for _, state in pairs(run.states) do end_tasks(state, "cancelled") end
end

local function fail_step(run, step, message)
  local state = run.states[step.slug]
  state.status, state.error_message = "failed", message
  end_run(run, "failed", message, step.slug)
end

local function mark_skipped(run, step, reason)
  local state = run.states[step.slug]
  state.status, state.skip_reason, state.remaining_tasks = "skipped", reason, nil
  run.remaining_steps = run.remaining_steps - 1
  end_tasks(state, "skipped")
end

-- The step is skipped, but its dependents continue without it.
local function release_dependents(run, step)
  for _, dependent in ipairs(step.dependents) do
    local state = run.states[dependent.slug]
    state.remaining_deps = state.remaining_deps - 1
    if dependent.is_map then state.initial_tasks = 0 end
  end
end

-- Everything that depends on the step, however indirectly, is skipped with it.
local function skip_dependents(run, step)
  local reached = { step }
  local at = 1
  while reached[at] do
    for _, dependent in ipairs(reached[at].dependents) do
      local status = run.states[dependent.slug].status
      if status == "created" or status == "started" then
        mark_skipped(run, dependent, "dependency_skipped")
        reached[#reached + 1] = dependent
      end
    end
    at = at + 1
  end
end

local function skip(run, step, reason, mode)
  mark_skipped(run, step, reason)
  if mode == "skip-cascade" then skip_dependents(run, step) else release_dependents(run, step) end
end

-- ---- completing ----

local function complete_step(run, step, output)
  local state = run.states[step.slug]
  state.status, state.output, state.remaining_tasks = "completed", output, 0
  run.remaining_steps = run.remaining_steps - 1
  for _, dependent in ipairs(step.dependents) do
    local waiting = run.states[dependent.slug]
    waiting.remaining_deps = waiting.remaining_deps - 1
    if dependent.is_map then waiting.initial_tasks = #output end
  end
end

-- The outputs of the dependencies that completed; those that were skipped are absent.
local function outputs_of_dependencies(run, step)
  local outputs = json.object()
  for _, slug in ipairs(step.dependencies) do
    local state = run.states[slug]
    if state.status == "completed" then outputs[slug] = state.output end
  end
  return outputs
end

local function condition_met(run, step)
  if not (step.only_if or step.unless) then return true end
  local document = run.input
  if #step.dependencies > 0 then document = outputs_of_dependencies(run, step) end
  if step.only_if and not contains.check(document, step.only_if) then return false end
  return not (step.unless and contains.check(document, step.unless))
end

-- ---- what follows from a change ----

-- The steps that are ready, in their order: those whose condition is met, and the others by what is to be done.
local function judge_ready(run)
  local ready = { met = {}, fail = {}, skip = {}, ["skip-cascade"] = {} }
  for _, step in ipairs(run.steps) do
    local state = run.states[step.slug]
    if state.status == "created" and state.remaining_deps == 0 then
      local list = ready[condition_met(run, step) and "met" or step.when_unmet]
      list[#list + 1] = step
    end
  end
  return ready
end

-- One wave: what is ready now is judged at once. Returns whether another wave may find something ready.
local function settle_wave(run)
  local ready = judge_ready(run)
  if ready.fail[1] then
    fail_step(run, ready.fail[1], "Condition not met")
    return false
  end
  local changed = false
  for _, mode in ipairs { "skip", "skip-cascade" } do
    for _, step in ipairs(ready[mode]) do
      skip(run, step, "condition_unmet", mode)
      changed = true
    end
  end
  for _, step in ipairs(ready.met) do
    if run.states[step.slug].initial_tasks == 0 then
      complete_step(run, step, json.array())
      changed = true
    end
  end
  return changed
end

local function start_step(run, step)
  local state = run.states[step.slug]
  state.status, state.remaining_tasks = "started", state.initial_tasks
  for index = 0, state.initial_tasks - 1 do
    state.tasks[index] = { status = "queued", attempts = 0, visible_at = run.now + step.start_delay }
  end
end

local function start_ready_steps(run)
  for _, step in ipairs(run.steps) do
    local state = run.states[step.slug]
    if state.status == "created" and state.remaining_deps == 0 then start_step(run, step) end
  end
end

local function complete_run(run)
  run.status = "completed"
  for _, step in ipairs(run.steps) do
    local state = run.states[step.slug]
    if #step.dependents == 0 and state.status == "completed" then
      run.output = run.output or json.object()
      run.output[step.slug] = state.output
    end
  end
end

-- Conditions, skips and empty maps until nothing changes; then what is ready starts, or the run has completed.
local function settle(run)
  while settle_wave(run) do end
  if run.status ~= "started" then return end
  start_ready_steps(run)
  if run.remaining_steps == 0 then complete_run(run) end
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
  settle(run)
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
  if not step.is_map then return outputs_of_dependencies(run, step) end
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
  complete_step(run, step, step.is_map and outputs_of_tasks(state) or state.tasks[0].output)
  settle(run)
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
  fail_step(run, step, ("[TYPE_VIOLATION] Map step %s expects array input but dependency %s produced %s"):format(
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
  if step.when_exhausted == "fail" then return fail_step(run, step, message) end
  state.error_message = message
  skip(run, step, "handler_failed", step.when_exhausted)
  settle(run)
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
  end_run(self, "cancelled", reason)
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
