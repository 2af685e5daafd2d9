-- Random flows, driven at random: whatever happens, the counters of the model match what they count, and every run ends.
local luaflow = require "luaflow"
local testing = require "luaflow.testing"

local RUNS = 400

local function nothing() end

-- Numbers that are the same in every run of the spec.
local function new_random(seed)
  local state = seed * 7919 + 17
  return function(most)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % most + 1
  end
end

local MODES = { "fail", "skip", "skip", "skip-cascade" }

local function add_condition(opts, dependencies, random)
  if random(3) > 1 then return end
  local pattern = { n = 1 }
  if #dependencies > 0 then pattern = { [dependencies[random(#dependencies)]] = random(3) } end
  opts[random(2) == 1 and "only_if" or "unless"] = pattern
  opts.when_unmet = MODES[random(4)]
end

local function random_step(flow, i, random)
  local opts = { slug = "s" .. i, max_attempts = random(2), base_delay = random(3) - 1 }
  local is_map = random(2) == 1
  if is_map and random(3) == 1 then opts.when_element_exhausted = "null" else opts.when_exhausted = MODES[random(4)] end
  if is_map then
    if i > 1 then opts.array = "s" .. random(i - 1) end
    if opts.array then add_condition(opts, { opts.array }, random) end
    return flow:map(opts, nothing)
  end
  local dependencies, seen = {}, {}
  for _ = 1, i > 1 and random(3) - 1 or 0 do
    local slug = "s" .. random(i - 1)
    if not seen[slug] then dependencies[#dependencies + 1], seen[slug] = slug, true end
  end
  if #dependencies > 0 then opts.depends_on = dependencies end
  add_condition(opts, dependencies, random)
  return flow:step(opts, nothing)
end

local function random_flow(random)
  local flow = luaflow.flow { slug = "f" }
  for i = 1, random(8) do flow = random_step(flow, i, random) end
  return flow
end

local function random_output(random)
  local size = random(4)
  if size == 4 then return random(8) == 1 and 5 or luaflow.array() end
  local array = luaflow.array()
  for i = 1, size do array[i] = random(3) end
  return array
end

local function check_step(state, slug)
  local step, counts = state.steps[slug], { total = 0 }
  for _, task in pairs(state.tasks[slug]) do
    counts.total, counts[task.status] = counts.total + 1, (counts[task.status] or 0) + 1
  end
  local active = (counts.queued or 0) + (counts.started or 0)
  if step.status == "created" then assert.same({ 0, nil }, { counts.total, step.remaining_tasks }) end
  if step.status == "started" then
    local done = (counts.completed or 0) + (step.failed_tasks or 0)
    assert.same({ step.initial_tasks, counts.total - done }, { counts.total, step.remaining_tasks })
    if state.status == "started" then assert.is_true(active > 0) end
  else
    assert.same(0, active)
  end
  if step.status == "completed" then
    assert.same({ 0, counts.total }, { step.remaining_tasks, (counts.completed or 0) + (counts.failed or 0) })
    assert.same(counts.failed, step.failed_tasks)
  end
  if step.status == "skipped" then assert.is_nil(step.remaining_tasks) end
  assert.same(step.status == "completed", step.output ~= nil)
  assert.same(step.status == "skipped", step.skip_reason ~= nil)
  assert.is_true(step.remaining_deps >= 0)
  return active
end

local function check(run)
  local state, open, active = run:state(), 0, 0
  for slug, step in pairs(state.steps) do
    if step.status ~= "completed" and step.status ~= "skipped" then open = open + 1 end
    active = active + check_step(state, slug)
  end
  assert.same(open, state.remaining_steps)
  assert.same(state.status == "completed", state.remaining_steps == 0)
  assert.same(state.status == "started", active > 0)
  assert.same(state.status == "failed", state.error_step_slug ~= nil)
end

-- Claims something or ends something that was claimed; returns how the run ended.
local function drive(run, random)
  local claimed = {}
  for _ = 1, 10000 do
    check(run)
    local queued = run:queued()
    if #queued == 0 and #claimed == 0 then return run:state().status end
    if #queued > 0 and (#claimed == 0 or random(2) == 1) then
      local task = queued[random(#queued)]
      assert.truthy(run:claim(task.step, task.index))
      claimed[#claimed + 1] = task
    else
      local task = table.remove(claimed, random(#claimed))
      local action = random(40)
      if action <= 27 then run:complete(task.step, task.index, random_output(random))
      elseif action <= 36 then run:fail(task.step, task.index, { message = "broken", permanent = random(3) == 1 })
      elseif action <= 38 then run:fail(task.step, task.index, { message = "later", delay = 1, free = true })
      elseif action == 39 then run:release(task.step, task.index)
      else
        local started = run:state().status == "started"
        assert.same(started, run:cancel "at random")
        check(run)
        claimed = {}
      end
    end
  end
  error "the run does not end"
end

describe("runs of random flows", function()
  it("keep their counters and end", function()
    local ends = {}
    for seed = 1, RUNS do
      local random = new_random(seed)
      local flow = random_flow(random)
      assert.same({}, luaflow.problems(flow))
      local status = drive(testing.model(flow, random_output(function(most) return most == 8 and 2 or random(most) end)), random)
      ends[status] = (ends[status] or 0) + 1
    end
    for _, status in ipairs { "completed", "failed", "cancelled" } do
      assert.is_true(ends[status] > RUNS / 50, status .. " is seldom or never reached")
    end
  end)
end)
