local context = require "luaflow.context"
local fake_host = require "spec.support.fake_host"
local flow = require "luaflow.flow"
local luaflow = require "luaflow"
local registry = require "luaflow.registry"
local run = require "luaflow.run"
local worker = require "luaflow.worker"

-- The outcome of one attempt of a step.
local function attempt(flow_name, step, input, task)
  local host = fake_host.new()
  local handlers = registry.handlers(flow.definition(require("flows." .. flow_name)))
  return run.task(host, handlers[step], context.new(host, task or { attempt = 1 }), input), host
end

describe("the example flows", function()
  it("have no problems", function()
    for _, name in ipairs { "greet_user", "fan_out", "patient", "order_intake", "order_intake_v2", "deployed", "order_workers" } do
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

  it("order_intake prices each line; its second version gives a discount and adds the courier", function()
    for _, name in ipairs { "order_intake", "order_intake_v2" } do
      assert.same('[{"sku":"a"}]', attempt(name, "validate", { lines = { { sku = "a" } } }).output)
      for _, input in ipairs { luaflow.null, {} } do assert.same("permanent", attempt(name, "validate", input).outcome) end
    end
    local function price(name, qty)
      return tonumber(attempt(name, "price", { sku = "a", qty = qty }).output:match '"cents":(%d+)')
    end
    assert.same({ 1000, 900, 100 }, { price("order_intake", 10), price("order_intake_v2", 10), price("order_intake_v2", 1) })
    local function cents(name, deps)
      return tonumber(attempt(name, "total", deps).output:match '"cents":(%d+)')
    end
    local lines = { { cents = 100 }, { cents = 200 } }
    local courier = tonumber(attempt("order_intake_v2", "courier", {}).output)
    assert.same(300, cents("order_intake", { price = lines }))
    assert.same(300, cents("order_intake_v2", { price = lines }))
    assert.same(300 + courier, cents("order_intake_v2", { price = lines, courier = courier }))
  end)

  it("order_intake_v2 is the active version on each queue, with its first version retained", function()
    local queues = {}
    for i, given in ipairs(require "flows.order_workers") do
      local served = registry.of(worker.subscription(given))
      queues[i] = served.queue
      assert.same({ "order_intake", true, "order_intake_v2", false },
        { served.flows[1].slug, served.flows[1].retained, served.flows[2].slug, served.flows[2].retained })
      assert.same("order_intake", served.flows[2].alias)
      assert.same("pricing", served.flows[2].routing.price)
    end
    assert.same({ "order_intake", "order_intake_v2", "pricing" }, queues)
  end)
end)
