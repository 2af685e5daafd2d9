-- What becomes of the steps of a run in memory: they complete, fail, are skipped, and what is ready then starts.
local contains = require "luaflow.testing.contains"
local json = require "luaflow.json"

local progress = {}

-- ---- skipping and failing ----

-- Ends the tasks that are queued or started, those of one step or of the whole run.
local function end_tasks(state, status)
  for _, task in pairs(state.tasks) do
    if task.status == "queued" or task.status == "started" then task.status = status end
  end
end

--- Ends a run and its open tasks.
---@param run table
---@param status string
---@param message? string
---@param slug? string the step at fault
function progress.end_run(run, status, message, slug)
  run.status, run.error_message, run.error_step_slug = status, message, slug
  for _, state in pairs(run.states) do end_tasks(state, "cancelled") end
end

--- Fails a step, and its run with it.
function progress.fail_step(run, step, message)
  local state = run.states[step.slug]
  state.status, state.error_message = "failed", message
  progress.end_run(run, "failed", message, step.slug)
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

--- Skips a step.
---@param mode string "skip-cascade": with everything that depends on it
function progress.skip(run, step, reason, mode)
  mark_skipped(run, step, reason)
  if mode == "skip-cascade" then skip_dependents(run, step) else release_dependents(run, step) end
end

-- ---- completing ----

--- Completes a step: its dependents have one less to wait for, and maps over it know their number of tasks.
function progress.complete_step(run, step, output)
  local state = run.states[step.slug]
  state.status, state.output, state.remaining_tasks = "completed", output, 0
  run.remaining_steps = run.remaining_steps - 1
  for _, dependent in ipairs(step.dependents) do
    local waiting = run.states[dependent.slug]
    waiting.remaining_deps = waiting.remaining_deps - 1
    if dependent.is_map then waiting.initial_tasks = #output end
  end
end

--- The outputs of the dependencies that completed; those that were skipped are absent.
function progress.outputs_of_dependencies(run, step)
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
  if #step.dependencies > 0 then document = progress.outputs_of_dependencies(run, step) end
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
    progress.fail_step(run, ready.fail[1], "Condition not met")
    return false
  end
  local changed = false
  for _, mode in ipairs { "skip", "skip-cascade" } do
    for _, step in ipairs(ready[mode]) do
      progress.skip(run, step, "condition_unmet", mode)
      changed = true
    end
  end
  for _, step in ipairs(ready.met) do
    if run.states[step.slug].initial_tasks == 0 then
      progress.complete_step(run, step, json.array())
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

--- Conditions, skips and empty maps until nothing changes; then what is ready starts, or the run has completed.
function progress.settle(run)
  while settle_wave(run) do end
  if run.status ~= "started" then return end
  start_ready_steps(run)
  if run.remaining_steps == 0 then complete_run(run) end
end

return progress
