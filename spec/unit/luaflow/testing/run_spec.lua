-- testing.run: handlers on a virtual clock.
local luaflow = require "luaflow"
local host = require "luaflow.host"
local testing = require "luaflow.testing"

local function new_flow(opts)
  opts = opts or {}
  opts.slug = "f"
  return luaflow.flow(opts)
end

local function one_step(fn, opts)
  opts = opts or {}
  opts.slug = "a"
  return new_flow():step(opts, fn)
end

-- What happened, as "step index attempt outcome at".
local function history(result)
  local lines = {}
  for i, attempt in ipairs(result.attempts) do
    lines[i] = ("%s %d #%d %s at %g"):format(attempt.step, attempt.index, attempt.attempt, attempt.outcome, attempt.ended_at)
  end
  return lines
end

describe("testing.run", function()
  it("runs a flow's own handlers and gives statuses, outputs and attempts", function()
    local result = testing.run(require "flows.fan_out", { 1, 2, 3 })
    assert.same({ "completed", { total = 14 }, { square = { 1, 4, 9 }, total = 14 } },
      { result.status, result.output, result.outputs })
    assert.same({ "square 0 #1 completed at 0", "square 1 #1 completed at 0", "square 2 #1 completed at 0",
      "total 0 #1 completed at 0" }, history(result))
    assert.same({ {}, {}, 0 }, { result.errors, result.logs, result.duration })
    assert.same("completed", result.steps.square.status)
    assert.same(4, result.tasks.square[1].output)
  end)

  it("runs the handlers of the test in the place of the flow's", function()
    local result = testing.run(require "flows.fan_out", { 1, 2 }, { handlers = { square = function(n) return n + 100 end } })
    assert.same({ total = 203 }, result.output)
  end)

  it("does what the guide shows", function()
    local file = assert(io.open "flows/README.md")
    local guide = file:read "*a"
    file:close()
    local example = guide:match "\n## Testing a flow without a database\n.-\n```lua\n(.-)```\n"
    local chunk, ran = assert(loadstring(example, "@flows/README.md")), false
    setfenv(chunk, setmetatable({ it = function(_, fn) fn() ran = true end }, { __index = getfenv() }))()
    assert.is_true(ran)
  end)

  it("takes deployed flows; ctx.queue is the step's route", function()
    local flow = new_flow():step({ slug = "a" }, function(_, ctx) return ctx.queue end)
      :step({ slug = "b" }, function(_, ctx) return ctx.queue end)
    assert.same({ a = "f", b = "f" }, testing.run(flow, 1).output)
    assert.same({ a = "f", b = "other" }, testing.run(luaflow.deploy(flow, { routes = { b = "other" } }), 1).output)
  end)

  it("gives handlers the ctx that the host gives", function()
    local seen
    local flow = new_flow { max_attempts = 4, timeout = 9 }:map({ slug = "a" }, function(_, ctx)
      seen = ctx
      return { ctx.run_id, ctx.flow_slug, ctx.step_slug, ctx.task_index, ctx.attempt, ctx.max_attempts, ctx.deadline, ctx.env.KEY }
    end)
    local result = testing.run(flow, { "x" }, { started_at = 1000, env = { KEY = "value" } })
    local output = result.output.a[1]
    assert.same({ "f", "a", 0, 1, 4, 1009, "value" }, { unpack(output, 2) })
    assert.truthy(output[1]:find "^%x+%-%x+%-%x+%-%x+%-%x+$")
    assert.has_error(function() seen.attempt = 2 end)
    assert.has_error(function() return seen.atempt end, 'ctx has no atempt: did you mean "attempt"?')
  end)

  it("gives every task its own copy of the run's input", function()
    local flow = new_flow():map({ slug = "a" }, function(_, ctx)
      local input = ctx:flow_input()
      input[1] = input[1] + 1
      return input[1]
    end)
    assert.same({ 6, 6 }, testing.run(flow, { 5, 5 }).outputs.a)
  end)
end)

describe("values between steps", function()
  it("are what the host's codec makes of them", function()
    local flow = new_flow():step({ slug = "a" }, function(input)
      return { big = 2 ^ 60, empty = {}, list = luaflow.array(), none = luaflow.null, same = input }
    end):step({ slug = "b", depends_on = { "a" } }, function(deps)
      assert.equal("cdata", type(deps.a.big))
      assert.equal(luaflow.null, deps.a.none)
      assert.error_matches(function() return deps.gone end, "this step has no dependency 'gone' %(it depends on a%)$")
      return deps.a
    end)
    local result = testing.run(flow, { 1 })
    assert.same("completed", result.status)
    assert.is_true(result.output.b.big == 1152921504606847000LL)
    assert.equal(getmetatable(luaflow.array()), getmetatable(result.output.b.list))
    assert.equal(getmetatable(luaflow.object()), getmetatable(result.output.b.empty))
    assert.same({ 1 }, result.output.b.same)
  end)

  it("that cannot be stored fail the attempt, with line and path; for good where no data could mend it", function()
    local result = testing.run(one_step(function() return { items = { 1, 0 / 0 } } end), 1)
    assert.same({ "failed", 3 }, { result.status, #result.errors })
    assert.truthy(result.error_message:find "run_spec%.lua:%d+: output%.items%[2%]: NaN, which JSON cannot hold$")
    result = testing.run(one_step(function() return { items = { 1, print } } end), 1)
    assert.same({ "failed", 1 }, { result.status, #result.errors })
    assert.truthy(result.error_message:find "run_spec%.lua:%d+: output%.items%[2%]: function, which JSON cannot hold$")
    assert.has_error(function() testing.run(one_step(print), { f = print }) end,
      "luaflow.testing.run: input.f: function, which JSON cannot hold")
  end)

  it("that are unmarked empty tables are [] where a map reads them", function()
    local flow = new_flow():step({ slug = "a" }, function() return {} end):map({ slug = "b", array = "a" }, print)
    assert.same({ b = {} }, testing.run(flow, 1).output)
    assert.same({ a = {} }, testing.run(new_flow():map({ slug = "a" }, print), {}).output)
    assert.has_error(function() testing.run(new_flow():map({ slug = "a" }, print), luaflow.object()) end,
      "Flow f has root map steps but input is not an array (got object)")
  end)

  it("of an array step that are none: the model or when_exhausted decides", function()
    local flow = new_flow():array({ slug = "a", when_exhausted = "skip" }, function() return 5 end)
    local result = testing.run(flow, 1)
    assert.same({ "completed", "skipped" }, { result.status, result.steps.a.status })
    assert.same({ "a 0 #1 permanent at 0" }, history(result))
    result = testing.run(flow:map({ slug = "b", array = "a" }, print), 1)
    assert.same("[TYPE_VIOLATION] Map step b expects array input but dependency a produced number", result.error_message)
    assert.same({ "a 0 #1 permanent at 0" }, history(result))
    assert.truthy(result.errors[1].message:find "^%[TYPE_VIOLATION%] Produced number instead of array: .*run_spec%.lua:%d+: return a list$")
  end)
end)

describe("endings", function()
  it("by error are retried with backoff, and told with file and line", function()
    local result = testing.run(one_step(function(_, ctx)
      if ctx.attempt < 3 then error "not yet" end
      return ctx.attempt
    end), 1)
    assert.same({ "completed", { a = 3 }, 30 }, { result.status, result.output, result.duration })
    assert.same({ "a 0 #1 failed at 0", "a 0 #2 failed at 10", "a 0 #3 completed at 30" }, history(result))
    assert.truthy(result.errors[2].message:find "run_spec.lua:%d+: not yet$")
    assert.truthy(result.errors[2].traceback:find "run_spec.lua")
  end)

  it("by error with a table store JSON", function()
    local result = testing.run(one_step(function() error { code = 7, list = luaflow.array() } end, { max_attempts = 1 }), 1)
    assert.same('{"code":7,"list":[]}', result.error_message)
  end)

  it("by fail, retry_after and snooze", function()
    local flow = new_flow { max_attempts = 2 }:step({ slug = "a" }, function(_, ctx)
      if ctx.attempt == 1 then luaflow.retry_after(100, "busy") end
      luaflow.fail "never"
    end)
    local result = testing.run(flow, 1)
    assert.same({ "a 0 #1 failed at 0", "a 0 #2 permanent at 100" }, history(result))
    assert.truthy(result.error_message:find "run_spec.lua:%d+: never$")
    assert.is_nil(result.errors[1].traceback)

    local times = 0
    result = testing.run(one_step(function()
      times = times + 1
      if times < 4 then luaflow.snooze(times) end
      return times
    end, { max_attempts = 1 }), 1)
    assert.same({ "a 0 #1 snoozed at 0", "a 0 #1 snoozed at 1", "a 0 #1 snoozed at 3", "a 0 #1 completed at 6" }, history(result))
    assert.same({ {}, { a = 4 }, 1 }, { result.errors, result.output, result.tasks.a[0].attempts })
  end)

  it("that never come are an error of the test", function()
    local ok, message = pcall(testing.run, one_step(function() luaflow.snooze(0, "for ever") end), 1, { claim_limit = 20 })
    assert.is_false(ok)
    assert.truthy(message:find("step a, task 0 has not ended after 20 claims; the last message is: .*for ever$"), message)
  end)
end)

describe("the virtual clock", function()
  it("is moved by sleep while other tasks run", function()
    local order = {}
    local flow = new_flow():map({ slug = "a" }, function(seconds, ctx)
      ctx:sleep(seconds)
      order[#order + 1] = seconds
      ctx:sleep(0)
      return seconds
    end)
    local result = testing.run(flow, { 3, 1, 2 })
    assert.same({ { 1, 2, 3 }, { 3, 1, 2 }, 3 }, { order, result.outputs.a, result.duration })
  end)

  it("ends a handler at its timeout; nothing after its last sleep runs", function()
    local went_on = false
    local result = testing.run(one_step(function(_, ctx)
      ctx:sleep(4)
      ctx:sleep(2)
      went_on = true
    end, { timeout = 5, max_attempts = 2 }), 1)
    assert.same({ "a 0 #1 failed at 5", "a 0 #2 failed at 20" }, history(result))
    assert.same({ "failed", "timed out after 5 s", false }, { result.status, result.error_message, went_on })
  end)

  it("leaves a handler alone that is back in time", function()
    local result = testing.run(one_step(function(_, ctx) for _ = 1, 50 do ctx:sleep(0.1) end end, { timeout = 5 }), 1)
    assert.same("completed", result.status)
  end)

  it("is what os.time tells, and only inside handlers", function()
    local flow = new_flow():step({ slug = "a", start_delay = 50 }, function(_, ctx)
      ctx:sleep(7)
      return { os.time(), os.time { year = 2000, month = 1, day = 1 } > 0 }
    end)
    local real = os.time
    local result = testing.run(flow, 1, { started_at = 1000 })
    assert.same({ 1057, true }, result.output.a)
    assert.equal(real, os.time)
    assert.same("completed", testing.run(require "flows.patient", { ready_at = os.time() + 3600 }).status)
  end)

  it("refuses to wait inside a coroutine of the handler's own, and a stray yield", function()
    local result = testing.run(one_step(function(_, ctx)
      local _, message = coroutine.resume(coroutine.create(function() ctx:sleep(1) end))
      return message
    end), 1)
    assert.truthy(result.output.a:find("sleep was called inside a coroutine that the handler created", 1, true))
    result = testing.run(one_step(function() coroutine.yield() end, { max_attempts = 1 }), 1)
    assert.truthy(result.error_message:find("coroutine.yield was called outside a coroutine", 1, true))
  end)
end)

describe("ctx:exec of a test", function()
  local function run(command, exec)
    local flow = new_flow { max_attempts = 1 }:step({ slug = "a" }, function(_, ctx)
      local result = ctx:exec(command)
      return { result.code or luaflow.null, result.signal or luaflow.null, result.stdout, result.stderr }
    end)
    return testing.run(flow, 1, { exec = exec })
  end

  it("is answered by the test", function()
    local given
    local result = run({ "convert", 5, input = "in", timeout = 3 }, function(command)
      given = command
      return { stdout = "out" }
    end)
    assert.same({ "convert", "5", input = "in", timeout = 3 }, given)
    assert.same({ 0, luaflow.null, "out", "" }, result.outputs.a)
    assert.same({ luaflow.null, "SIGKILL", "", "" }, run({ "x" }, function() return { signal = "SIGKILL" } end).outputs.a)
  end)

  it("raises what the test raises, and says what is missing", function()
    local message = run({ "convert" }, function() error { kind = "not_found", message = "" } end).error_message
    assert.truthy(message:find("run_spec.lua:%d+: ctx:exec: convert was not found: install it"), message)
    message = run({ "convert" }).error_message
    assert.truthy(message:find("ctx:exec needs a function of the test: testing.run(flow, input, { exec = ", 1, true), message)
  end)
end)

describe("a map whose failed elements give null", function()
  it("completes, however they fail", function()
    local flow = new_flow():map({ slug = "a", when_element_exhausted = "null", max_attempts = 2, base_delay = 1, timeout = 5 },
      function(element, ctx)
        if element == "fail" then luaflow.fail "not wanted" end
        if element == "error" then error "broken" end
        if element == "timeout" then ctx:sleep(10) end
        if element == "nil" then return nil, "no such element" end
        if element == "function" then return print end
        return element
      end):step({ slug = "b", depends_on = { "a" } }, function(deps) return luaflow.is_null(deps.a[2]) end)
    local result = testing.run(flow, { "good", "fail", "error", "timeout", "nil", "function" })
    assert.same({ "completed", { b = true } }, { result.status, result.output })
    local null = luaflow.null
    assert.same({ "good", null, null, null, null, null }, result.outputs.a)
    assert.same({ 5, "failed", 1, 2, "timed out after 5 s" }, { result.steps.a.failed_tasks, result.tasks.a[1].status,
      result.tasks.a[1].attempts, result.tasks.a[3].attempts, result.tasks.a[3].error_message })
    assert.truthy(result.tasks.a[4].error_message:find("no such element", 1, true))
  end)
end)

describe("a run that ends while handlers sleep", function()
  it("drops them when it failed or their step was skipped", function()
    for _, mode in ipairs { "fail", "skip" } do
      local went_on = false
      local flow = new_flow():map({ slug = "a", when_exhausted = mode }, function(element, ctx)
        if element == 0 then luaflow.fail "broken" end
        ctx:sleep(10)
        went_on = true
      end)
      local result = testing.run(flow, { 1, 0, 2 })
      assert.same({ "a 1 #1 permanent at 0", "a 0 #1 dropped at 0" }, history(result))
      local sibling = mode == "fail" and "cancelled" or "skipped"
      assert.same({ sibling, "failed", sibling }, { result.tasks.a[0].status, result.tasks.a[1].status, result.tasks.a[2].status })
      assert.same({ mode == "fail" and "failed" or "completed", false }, { result.status, went_on })
    end
  end)

  it("lets them go on where it was cancelled, which they can see; what they return is discarded", function()
    local cancelled = {}
    local flow = new_flow():step({ slug = "a" }, function(_, ctx)
      for i = 1, 3 do
        ctx:sleep(2)
        cancelled[i] = host.cancelled()
      end
      return "late"
    end):step({ slug = "b", start_delay = 4 }, print)
    local result = testing.run(flow, 1, { cancel_at = 3, cancel_reason = "no longer wanted" })
    assert.same({ { false, true, true }, "cancelled", "no longer wanted" }, { cancelled, result.status, result.error_message })
    assert.same({ "a 0 #1 stale at 6" }, history(result))
    assert.same({ "cancelled", nil }, { result.tasks.a[0].status, result.tasks.a[0].output })
  end)

  it("ends those that go on 5 s after it was cancelled", function()
    local went_on = false
    local result = testing.run(one_step(function(_, ctx)
      for _ = 1, 3 do ctx:sleep(3) end
      went_on = true
    end), 1, { cancel_at = 3 })
    assert.same({ "cancelled", false, 8 }, { result.status, went_on, result.duration })
    assert.same({ "stale", "it went on after its run was cancelled" }, { result.attempts[1].outcome, result.attempts[1].message })
  end)

  it("is not cancelled where it ends before", function()
    assert.same("completed", testing.run(one_step(function(_, ctx) ctx:sleep(2) end), 1, { cancel_at = 3 }).status)
  end)

  it("tells handlers that the worker stops", function()
    local flow = one_step(function(_, ctx)
      local before = ctx:stopping()
      ctx:sleep(5)
      return { before, ctx:stopping() }
    end)
    assert.same({ false, true }, testing.run(flow, 1, { stopping_at = 5 }).output.a)
    assert.same({ false, false }, testing.run(flow, 1).output.a)
  end)
end)

describe("log lines", function()
  it("are recorded with their place and time", function()
    local result = testing.run(one_step(function(_, ctx)
      ctx:log("info", "begins")
      ctx:sleep(2)
      ctx:log("warn", 5, { n = 1 })
      ctx:log("debug", "odd", { f = print })
    end), 1)
    assert.same({
      { step = "a", index = 0, attempt = 1, at = 0, level = "info", message = "begins" },
      { step = "a", index = 0, attempt = 1, at = 2, level = "warn", message = "5", fields = { n = 1 } },
      { step = "a", index = 0, attempt = 1, at = 2, level = "debug", message = "odd",
        fields = { fields_refused = "fields.f: function, which JSON cannot hold" } },
    }, result.logs)
  end)
end)

describe("what the test gives in a wrong way", function()
  it("is refused", function()
    local flow = one_step(print)
    local function refused(text, ...)
      local ok, message = pcall(testing.run, ...)
      assert.is_false(ok)
      assert.truthy(message:find(text, 1, true), message)
    end
    refused("a flow is needed, not a table", {})
    refused("the flow has problems:", new_flow():step({ slug = "a", timeout = 0 }, print))
    refused("options must be a table", flow, 1, 5)
    refused('unknown option handler: did you mean "handlers"?', flow, 1, { handler = {} })
    refused("cancel_at must be a number, not a string", flow, 1, { cancel_at = "5" })
    refused("handlers names no step of the flow: b", flow, 1, { handlers = { b = print } })
    refused("the handler of a must be a function, not a number", flow, 1, { handlers = { a = 5 } })
  end)

  it("leaves the host's table as it was", function()
    local saved = {}
    for name, field in pairs(host) do saved[name] = field end
    testing.run(one_step(function(_, ctx) ctx:sleep(1) error "x" end), 1)
    for name, field in pairs(host) do assert.equal(saved[name], field) end
    for name, field in pairs(saved) do assert.equal(field, host[name]) end
  end)
end)
