local context = require "luaflow.context"
local fake_host = require "spec.support.fake_host"
local flow = require "luaflow.flow"
local luaflow = require "luaflow"
local registry = require "luaflow.registry"
local run = require "luaflow.run"

-- The outcome of one attempt of a step.
local function attempt(flow_name, step, input, task)
  local host = fake_host.new()
  local handlers = registry.handlers(flow.definition(require("flows." .. flow_name)))
  return run.task(host, handlers[step], context.new(host, task or { attempt = 1 }), input), host
end

describe("the example flows", function()
  it("have no problems", function()
    for _, name in ipairs { "greet_user", "fan_out", "patient" } do
      assert.same({}, luaflow.problems(require("flows." .. name)))
    end
  end)

  it("greet_user greets, and fails for good without a name", function()
    assert.same('{"name":"Ada"}', attempt("greet_user", "find_name", { name = "Ada" }).output)
    assert.same('"Hello, Ada!"', attempt("greet_user", "greet", { find_name = { name = "Ada" } }).output)
    for _, input in ipairs { luaflow.null, {} } do
      assert.same("permanent", attempt("greet_user", "find_name", input).outcome)
    end
  end)

  it("fan_out squares and sums", function()
    assert.same("9", attempt("fan_out", "square", 3).output)
    assert.same("14", attempt("fan_out", "total", { square = { 1, 4, 9 } }).output)
    assert.same("0", attempt("fan_out", "total", { square = luaflow.array() }).output)
  end)

  it("patient snoozes, asks again later, and sleeps", function()
    assert.same("completed", attempt("patient", "wait_until_ready", luaflow.null).outcome)
    assert.same("snoozed", attempt("patient", "wait_until_ready", { ready_at = os.time() + 60 }).outcome)
    local busy = attempt("patient", "ask_busy_service", {}, { attempt = 1 })
    assert.same({ "failed", 1 }, { busy.outcome, busy.delay })
    assert.same('{"answered_at_attempt":2}', attempt("patient", "ask_busy_service", {}, { attempt = 2 }).output)
    local settled, host = attempt("patient", "settle", { ask_busy_service = { answered_at_attempt = 2 } })
    assert.same('{"answered_at_attempt":2}', settled.output)
    assert.same(1000.2, host.time)
  end)
end)
