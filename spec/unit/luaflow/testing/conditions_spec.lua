-- Conditions in the model of runs.
local luaflow = require "luaflow"
local testing = require "luaflow.testing"

local function nothing() end

local function new_flow()
  return luaflow.flow { slug = "f", max_attempts = 1 }
end

local function steps_of(run)
  local result = {}
  for slug, step in pairs(run:state().steps) do
    result[slug] = step.skip_reason and ("%s: %s"):format(step.status, step.skip_reason) or step.status
  end
  return result
end

local function finish(run, slug, output)
  assert.truthy(run:claim(slug, 0))
  assert.same("done", run:complete(slug, 0, output))
end

describe("a condition", function()
  it("of a root step is tested against the run's input", function()
    local flow = new_flow():step({ slug = "a", only_if = { kind = "x" } }, nothing):step({ slug = "b", unless = { kind = "x" } }, nothing)
      :step({ slug = "c", only_if = { kind = "x" }, unless = { skip = true } }, nothing)
    assert.same({ a = "started", b = "skipped: condition_unmet", c = "started" }, steps_of(testing.model(flow, { kind = "x" })))
    assert.same({ a = "started", b = "skipped: condition_unmet", c = "skipped: condition_unmet" },
      steps_of(testing.model(flow, { kind = "x", skip = true })))
    for _, input in ipairs { { kind = "y" }, luaflow.null, 5, { "x" } } do
      assert.same({ a = "skipped: condition_unmet", b = "started", c = "skipped: condition_unmet" },
        steps_of(testing.model(flow, input)))
    end
  end)

  it("of another is tested against its completed dependencies, when it becomes ready", function()
    local flow = new_flow():step({ slug = "a" }, nothing):step({ slug = "gone", only_if = { x = 1 } }, nothing)
      :step({ slug = "b", depends_on = { "a", "gone" }, only_if = { a = { go = true } } }, nothing)
      :step({ slug = "c", depends_on = { "a", "gone" }, unless = { gone = luaflow.null } }, nothing)
    local run = testing.model(flow, {})
    assert.same("created", run:state().steps.b.status)
    finish(run, "a", { go = true, more = 1 })
    assert.same({ a = "completed", gone = "skipped: condition_unmet", b = "started", c = "started" }, steps_of(run))
    run = testing.model(flow, {})
    finish(run, "a", { go = false })
    assert.same("skipped", run:state().steps.b.status)
  end)

  it("of a map is tested once for the whole step, also where the map is empty", function()
    local flow = new_flow():array({ slug = "a" }, nothing):map({ slug = "b", array = "a", only_if = { a = { 2 } } }, nothing)
    local run = testing.model(flow, 1)
    finish(run, "a", { 1, 2 })
    assert.same(2, #run:queued())
    run = testing.model(flow, 1)
    finish(run, "a", luaflow.array())
    assert.same({ a = "completed", b = "skipped: condition_unmet" }, steps_of(run))
    assert.same(0, run:state().steps.b.initial_tasks)
  end)
end)

describe("an unmet condition", function()
  it("with skip leaves a run without an output, which has completed", function()
    local state = testing.model(new_flow():step({ slug = "a", only_if = { x = 1 } }, nothing), {}):state()
    assert.same({ "completed", nil, 0 }, { state.status, state.output, state.remaining_steps })
    assert.same({ status = "skipped", skip_reason = "condition_unmet", initial_tasks = 1, remaining_deps = 0 }, state.steps.a)
  end)

  it("with skip releases its dependents", function()
    local run = testing.model(new_flow():step({ slug = "a", only_if = { x = 1 } }, nothing):step({ slug = "b" }, nothing)
      :step({ slug = "c", depends_on = { "a" } }, nothing):step({ slug = "d", depends_on = { "a", "b" } }, nothing), {})
    assert.same({ a = "skipped: condition_unmet", b = "started", c = "started", d = "created" }, steps_of(run))
    assert.same(1, run:state().steps.d.remaining_deps)
    finish(run, "b", 7)
    assert.same({ b = 7 }, run:claim("d", 0).input)
  end)

  it("with skip-cascade skips whatever depends on it, and releases nothing", function()
    local run = testing.model(new_flow():step({ slug = "a", only_if = { x = 1 }, when_unmet = "skip-cascade" }, nothing)
      :step({ slug = "b" }, nothing):map({ slug = "c", array = "a" }, nothing)
      :step({ slug = "d", depends_on = { "b", "c" } }, nothing):step({ slug = "e", depends_on = { "b" } }, nothing), {})
    assert.same({ a = "skipped: condition_unmet", b = "started", c = "skipped: dependency_skipped",
      d = "skipped: dependency_skipped", e = "created" }, steps_of(run))
    local steps = run:state().steps
    assert.same({ 1, nil, 2 }, { steps.c.remaining_deps, steps.c.initial_tasks, steps.d.remaining_deps })
    assert.same(2, run:state().remaining_steps)
  end)

  it("with fail fails the run, before anything is skipped or started", function()
    local run = testing.model(new_flow():step({ slug = "a", only_if = { x = 1 } }, nothing):step({ slug = "b" }, nothing)
      :step({ slug = "c", only_if = { x = 1 }, when_unmet = "fail" }, nothing)
      :step({ slug = "d", only_if = { x = 1 }, when_unmet = "fail" }, nothing), {})
    local state = run:state()
    assert.same({ "failed", "Condition not met", "c", 4 },
      { state.status, state.error_message, state.error_step_slug, state.remaining_steps })
    assert.same({ a = "created", b = "created", c = "failed", d = "created" }, steps_of(run))
    assert.same({ status = "failed", error_message = "Condition not met", initial_tasks = 1, remaining_deps = 0 }, state.steps.c)
    assert.same({}, run:queued())
  end)

  it("with fail fails it later too; what brought it about has ended", function()
    local flow = new_flow():step({ slug = "a", when_exhausted = "skip" }, nothing):step({ slug = "b" }, nothing)
      :step({ slug = "c", depends_on = { "a" }, only_if = { a = 1 }, when_unmet = "fail" }, nothing)
    local run = testing.model(flow, 1)
    run:claim("b", 0)
    finish(run, "a", 2)
    assert.same({ a = "completed", b = "started", c = "failed" }, steps_of(run))
    assert.same({ "completed", "cancelled" }, { run:state().tasks.a[0].status, run:state().tasks.b[0].status })
    run = testing.model(flow, 1)
    run:claim("a", 0)
    run:fail("a", 0, { message = "broken" })
    assert.same({ a = "skipped: handler_failed", b = "started", c = "failed" }, steps_of(run))
    assert.same({ "failed", "Condition not met", "c" },
      { run:state().status, run:state().error_message, run:state().error_step_slug })
  end)
end)

describe("skips and empty maps", function()
  it("alternate until nothing changes", function()
    local run = testing.model(new_flow():map({ slug = "a" }, nothing)
      :step({ slug = "b", depends_on = { "a" }, only_if = { a = { 1 } } }, nothing)
      :map({ slug = "c", array = "b" }, nothing)
      :step({ slug = "d", depends_on = { "c" }, unless = { c = { 1 } }, when_unmet = "skip-cascade" }, nothing)
      :step({ slug = "e", depends_on = { "c" } , only_if = { c = luaflow.array() } }, nothing), luaflow.array())
    assert.same({ a = "completed", b = "skipped: condition_unmet", c = "completed", d = "started", e = "started" }, steps_of(run))
  end)

  it("know no depth", function()
    local flow = new_flow():step({ slug = "s1", only_if = { x = 1 } }, nothing)
    for i = 2, 200 do
      flow = flow:step({ slug = "s" .. i, depends_on = { "s" .. i - 1 }, only_if = { ["s" .. i - 1] = 1 } }, nothing)
    end
    assert.same({ "completed", nil }, { testing.model(flow, {}):state().status, testing.model(flow, {}):state().output })
  end)

  it("leave two cascades that meet at one step with one reason", function()
    local run = testing.model(new_flow():step({ slug = "a", only_if = { x = 1 }, when_unmet = "skip-cascade" }, nothing)
      :step({ slug = "b", only_if = { x = 1 }, when_unmet = "skip-cascade" }, nothing)
      :step({ slug = "c", depends_on = { "a", "b" } }, nothing), {})
    assert.same({ a = "skipped: condition_unmet", b = "skipped: condition_unmet", c = "skipped: dependency_skipped" }, steps_of(run))
    assert.same({ "completed", 0 }, { run:state().status, run:state().remaining_steps })
  end)

  it("behind an empty map have their conditions evaluated", function()
    local run = testing.model(new_flow():map({ slug = "a" }, nothing)
      :step({ slug = "b", depends_on = { "a" }, only_if = { a = { "never" } } }, nothing), luaflow.array())
    assert.same({ a = "completed", b = "skipped: condition_unmet" }, steps_of(run))
  end)
end)
