local luaflow = require "luaflow"
local worker = require "luaflow.worker"

local function handler() end

local function deployed(slug, opts)
  return luaflow.deploy(luaflow.flow { slug = slug }:step({ slug = "price" }, handler), opts or {})
end

local function only(value)
  local list = luaflow.problems(value)
  assert.same(1, #list)
  return list[1]
end

describe("worker", function()
  it("serves deployed flows and plain ones on its queue", function()
    local plain = luaflow.flow { slug = "plain" }:step({ slug = "a" }, handler)
    local given = luaflow.worker { queue = "plain", flows = { plain, deployed("orders", { routes = { price = "plain" } }) } }
    assert.same({}, luaflow.problems(given))
    local subscription = worker.subscription(given)
    assert.same("plain", subscription.name)
    assert.same(2, #subscription.flows)
  end)

  it("takes a name", function()
    local given = luaflow.worker { queue = "orders", name = "Main worker", flows = { deployed "orders" } }
    assert.same({}, luaflow.problems(given))
    assert.same("Main worker", worker.subscription(given).name)
    assert.same("wrong_value", only(luaflow.worker { queue = "orders", name = "", flows = { deployed "orders" } }).code)
  end)

  it("reports missing and wrong options", function()
    assert.same("wrong_arguments", luaflow.problems(luaflow.worker(nil))[1].code)
    assert.same("missing_option", only(luaflow.worker { flows = { deployed "orders" } }).code)
    assert.same("missing_option", only(luaflow.worker { queue = "orders" }).code)
    assert.same("empty_flows", only(luaflow.worker { queue = "orders", flows = {} }).code)
    assert.same("wrong_type", only(luaflow.worker { queue = "orders", flows = deployed "orders" }).code)
    assert.same("unknown_option", only(luaflow.worker { queue = "orders", flow = {}, flows = { deployed "orders" } }).code)
    assert.same("invalid_queue_name", only(luaflow.worker { queue = "Orders", flows = { deployed "orders" } }).code)
  end)

  it("offers the nearest option, and the right place for one of another call", function()
    local nearest = only(luaflow.worker { queue = "orders", nmae = "x", flows = { deployed "orders" } })
    assert.same('did you mean "name"?', nearest.hint)
    local alias = only(luaflow.worker { queue = "orders", alias = "x", flows = { deployed "orders" } })
    assert.same({ "misplaced_option", "it is one of deploy" }, { alias.code, alias.hint })
  end)

  it("reports what is no deployed flow, holes included", function()
    local nothing = {}
    local problem = only(luaflow.worker { queue = "orders", flows = { nothing.v1, deployed "orders" } })
    assert.same("wrong_arguments", problem.code)
    assert.same("element 1 of flows is nil, not a deployed flow", problem.message)
  end)

  it("reports a queue that no step is routed to", function()
    local problem = only(luaflow.worker { queue = "order", flows = { deployed "orders" } })
    assert.same("queue_without_steps", problem.code)
    assert.same('did you mean "orders"?', problem.hint)
    assert.same("the steps go to orders", only(luaflow.worker { queue = "pricing", flows = { deployed "orders" } }).hint)
  end)

  it("lets one version under an alias be active", function()
    local routes = { price = "orders" }
    local v1, v2 = deployed("orders", {}), deployed("orders_v2", { alias = "orders", routes = routes })
    local v3 = deployed("orders_v3", { alias = "orders", routes = routes })
    assert.same({}, luaflow.problems(luaflow.worker { queue = "orders", flows = { v2, luaflow.retain(v1), luaflow.retain(v3) } }))
    local problem = only(luaflow.worker { queue = "orders", flows = { v1, v2, luaflow.retain(v3) } })
    assert.same("several_active", problem.code)
    assert.same("'orders' and 'orders_v2' are both active under alias 'orders'", problem.message)
    assert.same({}, luaflow.problems(luaflow.worker { queue = "orders", flows = { luaflow.retain(v1) } }))
  end)

  it("reports a flow that is there twice", function()
    local v1 = deployed "orders"
    assert.same("duplicate_flow", only(luaflow.worker { queue = "orders", flows = { v1, luaflow.retain(v1) } }).code)
  end)

  it("has the problems of its flows too, and no others because of them", function()
    local bad = luaflow.deploy(luaflow.flow { slug = "bad" }:step({ slug = "a", timeout = 0 }, handler), { routes = { b = "q" } })
    local codes = {}
    for i, problem in ipairs(luaflow.problems(luaflow.worker { queue = "other", flows = { bad } })) do codes[i] = problem.code end
    table.sort(codes)
    assert.same({ "out_of_range", "unknown_step" }, codes)
  end)

  it("is immutable", function()
    local given = luaflow.worker { queue = "orders", flows = { deployed "orders" } }
    assert.has_error(function() given.queue = "x" end, "a worker is immutable: queue cannot be set")
  end)
end)
