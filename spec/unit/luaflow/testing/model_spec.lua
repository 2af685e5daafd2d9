-- The model of runs, rule by rule.
local luaflow = require "luaflow"
local model = require "luaflow.testing.model"
local testing = require "luaflow.testing"

local function nothing() end

local function new_flow(opts)
  opts = opts or {}
  opts.slug = "f"
  return luaflow.flow(opts)
end

local function queued(run)
  local list = {}
  for i, task in ipairs(run:queued()) do list[i] = ("%s %d at %g"):format(task.step, task.index, task.visible_at) end
  return list
end

local function statuses(run)
  local result = {}
  for slug, step in pairs(run:state().steps) do result[slug] = step.status end
  return result
end

local function task_statuses(run, slug)
  local result, tasks = {}, run:state().tasks[slug]
  for index = 0, #tasks do result[index + 1] = tasks[index].status end
  return result
end

local function finish(run, slug, index, output)
  assert.truthy(run:claim(slug, index))
  assert.same("done", run:complete(slug, index, output))
end

local function break_down(run, slug, index, failure)
  assert.truthy(run:claim(slug, index))
  assert.same("done", run:fail(slug, index, failure or { message = "broken" }))
end

describe("a run", function()
  it("starts its root steps, each with one task, and nothing else", function()
    local run = testing.model(new_flow():step({ slug = "a" }, nothing):step({ slug = "b", depends_on = { "a" } }, nothing)
      :step({ slug = "c" }, nothing), { n = 1 })
    assert.same({ "a 0 at 0", "c 0 at 0" }, queued(run))
    local state = run:state()
    assert.same({ "started", 3, nil }, { state.status, state.remaining_steps, state.output })
    assert.same({ status = "started", initial_tasks = 1, remaining_tasks = 1, remaining_deps = 0 }, state.steps.a)
    assert.same({ status = "created", initial_tasks = 1, remaining_deps = 1 }, state.steps.b)
    assert.same({ [0] = { status = "queued", attempts = 0 } }, state.tasks.a)
    assert.same({}, state.tasks.b)
  end)

  it("gives a root step the run's input, others the table of their dependencies", function()
    local run = testing.model(new_flow():step({ slug = "a" }, nothing):step({ slug = "b" }, nothing)
      :step({ slug = "c", depends_on = { "b", "a" } }, nothing), { n = 1 })
    assert.same({ input = { n = 1 }, flow_input = { n = 1 }, attempt = 1, max_attempts = 3 }, run:claim("a", 0))
    assert.is_nil(run:claim("a", 0))
    run:complete("a", 0, 5)
    finish(run, "b", 0, { x = { luaflow.null } })
    assert.same({ input = { a = 5, b = { x = { luaflow.null } } }, attempt = 1, max_attempts = 3 }, run:claim("c", 0))
  end)

  it("has completed with the outputs of its completed leaf steps", function()
    local run = testing.model(new_flow():step({ slug = "a" }, nothing):step({ slug = "b", depends_on = { "a" } }, nothing)
      :step({ slug = "c" }, nothing), 1)
    finish(run, "a", 0, 1)
    finish(run, "b", 0, 2)
    assert.same("started", run:state().status)
    finish(run, "c", 0)
    local state = run:state()
    assert.same({ "completed", 0, { b = 2, c = luaflow.null } }, { state.status, state.remaining_steps, state.output })
  end)

  it("keeps false, 0, the empty string, null, [] and {} exactly (F25)", function()
    for _, output in ipairs { false, 0, "", luaflow.null, luaflow.array(), luaflow.object() } do
      local run = testing.model(new_flow():step({ slug = "a" }, nothing):step({ slug = "b", depends_on = { "a" } }, nothing), output)
      assert.equal(getmetatable(output), getmetatable(run:claim("a", 0).flow_input))
      run:complete("a", 0, output)
      assert.same(output, run:state().steps.a.output)
      local input = run:claim("b", 0).input
      assert.same({ a = output }, input)
      assert.equal(getmetatable(output), getmetatable(input.a))
      run:complete("b", 0, output)
      assert.same({ b = output }, run:state().output)
    end
  end)

  it("completes at once without steps, without an output", function()
    local state = testing.model(new_flow(), 1):state()
    assert.same({ "completed", nil, 0 }, { state.status, state.output, state.remaining_steps })
  end)

  it("hands out copies only", function()
    local given = { list = { 1 } }
    local run = testing.model(new_flow():step({ slug = "a" }, nothing), given)
    given.list[1] = 2
    local claim = run:claim("a", 0)
    assert.same(1, claim.flow_input.list[1])
    claim.flow_input.list[1] = 3
    run:complete("a", 0, claim.flow_input)
    run:state().output.a.list[1] = 4
    assert.same({ a = { list = { 3 } } }, run:state().output)
  end)

  it("waits for a start delay, which counts from when the step starts", function()
    local run = testing.model(new_flow():step({ slug = "a", start_delay = 7 }, nothing)
      :step({ slug = "b", depends_on = { "a" }, start_delay = 5 }, nothing), 1)
    assert.same({ "a 0 at 7" }, queued(run))
    run:advance(10)
    finish(run, "a", 0)
    assert.same({ "b 0 at 15" }, queued(run))
  end)

  it("is refused for a flow with problems, which are listed", function()
    local flow = new_flow():step({ slug = "a", max_attempt = 3 }, nothing):step({ slug = "b", depends_on = { "c" } }, nothing)
    local ok, message = pcall(testing.model, flow, 1)
    assert.is_false(ok)
    assert.truthy(message:find("luaflow.testing.model: the flow has problems:\n", 1, true))
    assert.truthy(message:find("model_spec.lua:%d+: step 'a': unknown option 'max_attempt' %[unknown_option%] %(did you mean"), message)
    assert.truthy(message:find("step 'b' depends on 'c', but no step 'c' is defined before it", 1, true))
    assert.has_error(function() testing.model({}, 1) end)
  end)

  it("takes a deployed flow", function()
    local deployed = luaflow.deploy(new_flow():step({ slug = "a" }, nothing), { alias = "g" })
    assert.same({ "a 0 at 0" }, queued(testing.model(deployed, 1)))
  end)
end)

describe("a map", function()
  it("over the run's input has a task for each element, and outputs in their order", function()
    local run = testing.model(new_flow():map({ slug = "a" }, nothing), { "x", luaflow.null, { 1 } })
    assert.same({ "a 0 at 0", "a 1 at 0", "a 2 at 0" }, queued(run))
    assert.same({ input = { 1 }, attempt = 1, max_attempts = 3 }, run:claim("a", 2))
    assert.same(luaflow.null, run:claim("a", 1).input)
    run:complete("a", 2, "last")
    run:complete("a", 1)
    assert.same({ status = "started", initial_tasks = 3, remaining_tasks = 1, remaining_deps = 0 }, run:state().steps.a)
    finish(run, "a", 0, 2)
    assert.same({ a = { 2, luaflow.null, "last" } }, run:state().output)
  end)

  it("over the run's input needs an array", function()
    local flow = new_flow():map({ slug = "a" }, nothing)
    for type_name, input in pairs { object = {}, number = 5, string = "x", boolean = false, null = luaflow.null } do
      local ok, message = pcall(testing.model, flow, input)
      assert.is_false(ok)
      assert.equal(("Flow f has root map steps but input is not an array (got %s)"):format(type_name), message)
    end
  end)

  it("over a step's output learns its size when that completes", function()
    local run = testing.model(new_flow():array({ slug = "a" }, nothing):map({ slug = "b", array = "a" }, nothing), 1)
    assert.is_nil(run:state().steps.b.initial_tasks)
    finish(run, "a", 0, { 4, 5 })
    assert.same({ status = "started", initial_tasks = 2, remaining_tasks = 2, remaining_deps = 0 }, run:state().steps.b)
    assert.same(5, run:claim("b", 1).input)
  end)

  it("over a map has as many tasks as that", function()
    local run = testing.model(new_flow():map({ slug = "a" }, nothing):map({ slug = "b", array = "a" }, nothing), { 1, 2 })
    finish(run, "a", 0, "p")
    assert.same({ "a 1 at 0" }, queued(run))
    finish(run, "a", 1, "q")
    assert.same({ "b 0 at 0", "b 1 at 0" }, queued(run))
    assert.same("q", run:claim("b", 1).input)
  end)

  it("over nothing completes with [], and so do the maps over it (F6)", function()
    local run = testing.model(new_flow():map({ slug = "a" }, nothing):map({ slug = "b", array = "a" }, nothing)
      :step({ slug = "c", depends_on = { "b" } }, nothing), luaflow.array())
    assert.same({ a = "completed", b = "completed", c = "started" }, statuses(run))
    assert.same({ status = "completed", output = {}, initial_tasks = 0, remaining_tasks = 0, remaining_deps = 0 },
      run:state().steps.b)
    assert.same({ b = luaflow.array() }, run:claim("c", 0).input)
  end)

  it("over a skipped step completes with []", function()
    local run = testing.model(new_flow():step({ slug = "a", only_if = { x = 1 } }, nothing):map({ slug = "b", array = "a" }, nothing), {})
    assert.same({ a = "skipped", b = "completed" }, statuses(run))
    assert.same({ b = luaflow.array() }, run:state().output)
  end)

  it("may be chained without a limit", function()
    local flow = new_flow():map({ slug = "s1" }, nothing)
    for i = 2, 300 do flow = flow:map({ slug = "s" .. i, array = "s" .. i - 1 }, nothing) end
    assert.same({ s300 = {} }, testing.model(flow, luaflow.array()):state().output)
  end)
end)

describe("an output of the wrong type", function()
  local flow = new_flow():step({ slug = "a", when_exhausted = "skip" }, nothing):map({ slug = "b", array = "a" }, nothing)
    :map({ slug = "c", array = "a" }, nothing):step({ slug = "d" }, nothing)

  it("fails the run at once, whatever attempts remain and when_exhausted says (F5)", function()
    for type_name, output in pairs { object = {}, number = 5, string = "[]", boolean = true, null = luaflow.null } do
      local run = testing.model(flow, 1)
      run:claim("d", 0)
      finish(run, "a", 0, output)
      local state = run:state()
      local message = "[TYPE_VIOLATION] Map step b expects array input but dependency a produced " .. type_name
      assert.same({ "failed", message, "a" }, { state.status, state.error_message, state.error_step_slug })
      assert.same({ "failed", message, nil }, { state.steps.a.status, state.steps.a.error_message, state.steps.a.output })
      assert.same({ status = "failed", attempts = 1, output = output,
        error_message = "[TYPE_VIOLATION] Produced " .. type_name .. " instead of array" }, state.tasks.a[0])
      assert.same({ "cancelled", "started", "created" }, { state.tasks.d[0].status, state.steps.d.status, state.steps.b.status })
    end
  end)

  it("does not matter where only single steps read it, nor from a map", function()
    local single = new_flow():array({ slug = "a" }, nothing):step({ slug = "b", depends_on = { "a" } }, nothing)
    local run = testing.model(single, 1)
    finish(run, "a", 0, 5)
    assert.same("completed", run:state().steps.a.status)
    run = testing.model(new_flow():map({ slug = "a" }, nothing):map({ slug = "b", array = "a" }, nothing), { 1 })
    finish(run, "a", 0, 5)
    assert.same(5, run:claim("b", 0).input)
  end)
end)

describe("an attempt that failed", function()
  local flow = new_flow { max_attempts = 3, base_delay = 5 }:step({ slug = "a" }, nothing)

  it("is followed by others, each after twice the delay, while attempts remain", function()
    local run = testing.model(flow, 1)
    run:advance(100)
    break_down(run, "a", 0)
    assert.same({ "a 0 at 110" }, queued(run))
    assert.same({ status = "started", initial_tasks = 1, remaining_tasks = 1, remaining_deps = 0 }, run:state().steps.a)
    assert.same({ status = "queued", attempts = 1, error_message = "broken" }, run:state().tasks.a[0])
    break_down(run, "a", 0)
    assert.same({ "a 0 at 120" }, queued(run))
    assert.same(3, run:claim("a", 0).attempt)
    run:fail("a", 0, { message = "for ever" })
    local state = run:state()
    assert.same({ "failed", "for ever", "a", nil, 1 },
      { state.status, state.error_message, state.error_step_slug, state.output, state.remaining_steps })
    assert.same({ "failed", "for ever", 1 }, { state.steps.a.status, state.steps.a.error_message, state.steps.a.remaining_tasks })
    assert.same({ status = "failed", attempts = 3, error_message = "for ever" }, state.tasks.a[0])
  end)

  it("waits for exactly the delay that it names", function()
    local run = testing.model(flow, 1)
    break_down(run, "a", 0, { message = "busy", delay = 200000.5 })
    assert.same(86400, run:queued()[1].visible_at)
    break_down(run, "a", 0, { message = "busy", delay = 0 })
    break_down(run, "a", 0, { message = "busy", delay = 9 })
    assert.same("failed", run:state().status)
  end)

  it("is the last one where it failed for good", function()
    local run = testing.model(flow, 1)
    break_down(run, "a", 0, { message = "never", permanent = true, delay = 5 })
    assert.same({ "failed", 1 }, { run:state().status, run:state().tasks.a[0].attempts })
  end)

  it("costs nothing where it is free, but its message is stored", function()
    local run = testing.model(new_flow { max_attempts = 1 }:step({ slug = "a" }, nothing), 1)
    for i = 1, 5 do
      assert.same(1, run:claim("a", 0).attempt)
      run:fail("a", 0, { message = "later " .. i, delay = i, free = true })
    end
    assert.same({ "a 0 at 5" }, queued(run))
    assert.same({ status = "queued", attempts = 0, error_message = "later 5" }, run:state().tasks.a[0])
  end)

  it("leaves its message with the task that completes later", function()
    local run = testing.model(flow, 1)
    break_down(run, "a", 0)
    finish(run, "a", 0, 1)
    assert.same({ status = "completed", attempts = 2, output = 1, error_message = "broken" }, run:state().tasks.a[0])
    assert.is_nil(run:state().steps.a.error_message)
  end)

  it("takes the options of its step before those of the flow", function()
    local run = testing.model(new_flow { max_attempts = 1 }:step({ slug = "a", max_attempts = 2, base_delay = 0 }, nothing), 1)
    assert.same(2, run:claim("a", 0).max_attempts)
    run:fail("a", 0, {})
    assert.same({ "a 0 at 0" }, queued(run))
  end)
end)

describe("the retry delay", function()
  it("is base_delay * 2^attempts", function()
    assert.same({ 10, 20, 40 }, { model.retry_delay(5, 1), model.retry_delay(5, 2), model.retry_delay(5, 3) })
    assert.same(1, model.retry_delay(0.5, 1))
  end)

  it("is at most 24 h and never overflows (F17)", function()
    for _, attempts in ipairs { 15, 62, 310, 1024, 1e9 } do assert.same(86400, model.retry_delay(5, attempts)) end
    assert.same(0, model.retry_delay(0, 1e9))
  end)
end)

describe("a release", function()
  it("puts the task back at once, free of charge, and stores nothing", function()
    local run = testing.model(new_flow():step({ slug = "a" }, nothing), 1)
    break_down(run, "a", 0)
    run:advance(50)
    run:claim("a", 0)
    assert.same("done", run:release("a", 0))
    assert.same({ "a 0 at 50" }, queued(run))
    assert.same({ status = "queued", attempts = 1, error_message = "broken" }, run:state().tasks.a[0])
    assert.same("stale", run:release("a", 0))
  end)
end)

describe("a task that failed for good", function()
  local function root_map(when_exhausted)
    return new_flow { max_attempts = 1 }:map({ slug = "a", when_exhausted = when_exhausted }, nothing)
      :map({ slug = "b", array = "a" }, nothing):step({ slug = "c", depends_on = { "b" } }, nothing)
  end

  it("with fail fails the run; siblings are cancelled (F2)", function()
    local run = testing.model(root_map(), { 1, 2, 3, 4 })
    finish(run, "a", 3, "kept")
    run:claim("a", 0)
    run:claim("a", 1)
    run:fail("a", 0, { message = "broken" })
    local state = run:state()
    assert.same({ "failed", "broken", "a", 3 }, { state.status, state.error_message, state.error_step_slug, state.remaining_steps })
    assert.same({ "failed", "cancelled", "cancelled", "completed" }, task_statuses(run, "a"))
    assert.same({ a = "failed", b = "created", c = "created" }, statuses(run))
    assert.same(3, state.steps.a.remaining_tasks)
    assert.same({}, queued(run))
    assert.same({ "stale", "stale" }, { run:complete("a", 1, 5), run:fail("a", 1, { message = "late" }) })
    assert.is_nil(run:claim("a", 2))
    assert.same(state, run:state())
  end)

  it("with skip skips the step and what it had done; dependents go on (F3)", function()
    local run = testing.model(root_map "skip", { 1, 2, 3, 4 })
    finish(run, "a", 3, "discarded")
    run:claim("a", 0)
    run:claim("a", 1)
    run:fail("a", 0, { message = "broken" })
    local state = run:state()
    assert.same({ "failed", "skipped", "skipped", "completed" }, task_statuses(run, "a"))
    assert.same({ status = "skipped", skip_reason = "handler_failed", error_message = "broken", initial_tasks = 4,
      remaining_deps = 0 }, state.steps.a)
    assert.same({ "completed", luaflow.array(), 0 }, { state.steps.b.status, state.steps.b.output, state.steps.b.initial_tasks })
    assert.same({ "started", 1 }, { state.status, state.remaining_steps })
    assert.same({ "c 0 at 0" }, queued(run))
    assert.same({ "stale", "stale" }, { run:complete("a", 1, 5), run:release("a", 1) })
    assert.same({ b = luaflow.array() }, run:claim("c", 0).input)
    run:complete("c", 0, "end")
    assert.same({ "completed", { c = "end" } }, { run:state().status, run:state().output })
  end)

  it("of an element with null gives null; its error is kept and the step completes", function()
    local flow = new_flow { max_attempts = 2 }:map({ slug = "a", when_element_exhausted = "null" }, nothing)
      :map({ slug = "b", array = "a" }, nothing):step({ slug = "c", depends_on = { "a" } }, nothing)
    local run = testing.model(flow, { 1, 2, 3 })
    break_down(run, "a", 2, { message = "for good", permanent = true })
    break_down(run, "a", 0)
    assert.same({ "queued", "queued", "failed" }, task_statuses(run, "a"))
    assert.same({ status = "started", initial_tasks = 3, remaining_tasks = 2, failed_tasks = 1, remaining_deps = 0 }, run:state().steps.a)
    assert.same("stale", run:complete("a", 2, "late"))
    finish(run, "a", 1, false)
    break_down(run, "a", 0)
    local state = run:state()
    assert.same({ status = "completed", initial_tasks = 3, remaining_tasks = 0, failed_tasks = 2, remaining_deps = 0,
      output = { luaflow.null, false, luaflow.null } }, state.steps.a)
    assert.same({ status = "failed", attempts = 2, error_message = "broken" }, state.tasks.a[0])
    assert.same({ status = "failed", attempts = 1, error_message = "for good" }, state.tasks.a[2])
    assert.same({ "started", nil, 2 }, { state.status, state.error_message, state.remaining_steps })
    assert.same({ luaflow.null, { a = { luaflow.null, false, luaflow.null } } }, { run:claim("b", 0).input, run:claim("c", 0).input })
  end)

  it("with skip-cascade skips everything that depends on it", function()
    local flow = new_flow { max_attempts = 1 }:step({ slug = "a", when_exhausted = "skip-cascade" }, nothing)
      :step({ slug = "other" }, nothing):step({ slug = "b", depends_on = { "a", "other" } }, nothing)
      :step({ slug = "c", depends_on = { "b" } }, nothing)
    local run = testing.model(flow, 1)
    break_down(run, "a", 0)
    local state = run:state()
    assert.same({ a = "skipped", other = "started", b = "skipped", c = "skipped" }, statuses(run))
    assert.same({ "handler_failed", "dependency_skipped", "dependency_skipped" },
      { state.steps.a.skip_reason, state.steps.b.skip_reason, state.steps.c.skip_reason })
    assert.same({ "broken", nil, 2 }, { state.steps.a.error_message, state.steps.b.error_message, state.steps.b.remaining_deps })
    finish(run, "other", 0, 1)
    assert.same({ "completed", nil, 0 }, { run:state().status, run:state().output, run:state().remaining_steps })
  end)

  it("with skip lets conditions of its dependents decide", function()
    local flow = new_flow { max_attempts = 1 }:step({ slug = "a", when_exhausted = "skip" }, nothing)
      :step({ slug = "b", depends_on = { "a" }, only_if = { a = {} } }, nothing)
      :step({ slug = "c", depends_on = { "a", "b" }, unless = { a = {} }, when_unmet = "fail" }, nothing)
    local run = testing.model(flow, 1)
    break_down(run, "a", 0)
    assert.same({ a = "skipped", b = "skipped", c = "started" }, statuses(run))
    assert.same({}, run:claim("c", 0).input)
  end)
end)

describe("a cancelled run", function()
  it("ends its tasks, and its steps keep the state they had", function()
    local run = testing.model(new_flow():map({ slug = "a" }, nothing):step({ slug = "b", depends_on = { "a" } }, nothing), { 1, 2, 3 })
    finish(run, "a", 0, 1)
    run:claim("a", 1)
    assert.is_true(run:cancel "no longer wanted")
    local state = run:state()
    assert.same({ "cancelled", "no longer wanted", nil, nil },
      { state.status, state.error_message, state.error_step_slug, state.output })
    assert.same({ "completed", "cancelled", "cancelled" }, task_statuses(run, "a"))
    assert.same({ a = "started", b = "created" }, statuses(run))
    assert.is_false(run:cancel())
    assert.same("stale", run:fail("a", 1, { message = "ignored" }))
    assert.same("stale", run:complete("a", 1, 1))
    assert.same(state, run:state())
  end)

  it("is no other where the run has ended", function()
    local run = testing.model(new_flow():step({ slug = "a" }, nothing), 1)
    finish(run, "a", 0)
    assert.is_false(run:cancel "late")
    assert.same("completed", run:state().status)
  end)
end)

describe("a callback that is late, duplicate or foreign", function()
  it("is stale and changes nothing", function()
    local run = testing.model(new_flow():step({ slug = "a" }, nothing):step({ slug = "b" }, nothing), 1)
    for _, place in ipairs { { "a", 0 }, { "a", 1 }, { "x", 0 } } do
      local before = run:state()
      assert.same("stale", run:complete(place[1], place[2], 1))
      assert.same("stale", run:fail(place[1], place[2], { message = "x" }))
      assert.same("stale", run:release(place[1], place[2]))
      assert.same(before, run:state())
    end
    break_down(run, "a", 0)
    local visible = queued(run)
    assert.same("stale", run:fail("a", 0, { message = "again" }))
    assert.same(visible, queued(run))
    finish(run, "a", 0, 1)
    assert.same("stale", run:complete("a", 0, 2))
    assert.same(1, run:state().steps.a.output)
  end)
end)
