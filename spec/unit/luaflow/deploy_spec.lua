local luaflow = require "luaflow"
local deploy = require "luaflow.deploy"

local function handler() end

local function flow_of(slug)
  return luaflow.flow { slug = slug }:step({ slug = "price" }, handler):step({ slug = "total" }, handler)
end

local function only(value)
  local list = luaflow.problems(value)
  assert.same(1, #list)
  return list[1]
end

describe("deploy", function()
  it("keeps the very flow, its slug as alias, and routes to the slug in lower case", function()
    local flow = flow_of "Orders"
    local deployed = luaflow.deploy(flow, {})
    assert.same({}, luaflow.problems(deployed))
    assert.equal(flow, deployed.flow)
    assert.same("Orders", deployed.alias)
    assert.same({ price = "orders", total = "orders" }, deploy.deployment(deployed).routing)
  end)

  it("takes an alias and routes", function()
    local deployed = luaflow.deploy(flow_of "orders_v2", { alias = "orders", routes = { price = "pricing" } })
    assert.same({}, luaflow.problems(deployed))
    assert.same("orders", deployed.alias)
    assert.same({ price = "pricing", total = "orders_v2" }, deploy.deployment(deployed).routing)
  end)

  it("is immutable and keeps nothing of the table of routes", function()
    local routes = { price = "pricing" }
    local deployed = luaflow.deploy(flow_of "orders", { routes = routes })
    routes.price = "other"
    assert.same("pricing", deploy.deployment(deployed).routing.price)
    assert.has_error(function() deployed.alias = "x" end, "a deployed flow is immutable: alias cannot be set")
  end)

  it("reports a route of no step, with the nearest one", function()
    local problem = only(luaflow.deploy(flow_of "orders", { routes = { prize = "pricing" } }))
    assert.same("unknown_step", problem.code)
    assert.same("routes names 'prize', which is not a step of flow 'orders'", problem.message)
    assert.same('did you mean "price"?', problem.hint)
    assert.same("orders", problem.flow)
  end)

  it("reports queue names that are not canonical", function()
    for name, hint in pairs { Pricing = 'write "pricing"', ["a b"] = 'write "a_b"' } do
      local problem = only(luaflow.deploy(flow_of "orders", { routes = { price = name } }))
      assert.same("invalid_queue_name", problem.code)
      assert.same(hint, problem.hint)
    end
    for _, name in ipairs { "", "1st", ("q"):rep(48), "a;drop", "über" } do
      assert.same("invalid_queue_name", only(luaflow.deploy(flow_of "orders", { routes = { price = name } })).code)
    end
    assert.same({}, luaflow.problems(luaflow.deploy(flow_of "orders", { routes = { price = ("q"):rep(47) } })))
    assert.same("wrong_type", only(luaflow.deploy(flow_of "orders", { routes = { price = 5 } })).code)
  end)

  it("lets a slug be longer than a queue name only if every step is routed elsewhere", function()
    local flow = flow_of(("x"):rep(48))
    assert.same("invalid_queue_name", only(luaflow.deploy(flow, {})).code)
    assert.same("invalid_queue_name", only(luaflow.deploy(flow, { routes = { price = "q" } })).code)
    assert.same({}, luaflow.problems(luaflow.deploy(flow, { routes = { price = "q", total = "q" } })))
  end)

  it("reports bad options, a bad alias, and what is no flow", function()
    assert.same("unknown_option", only(luaflow.deploy(flow_of "orders", { aliass = "x" })).code)
    assert.same("invalid_slug", only(luaflow.deploy(flow_of "orders", { alias = "run" })).code)
    assert.same("wrong_type", only(luaflow.deploy(flow_of "orders", { routes = "q" })).code)
    assert.same("wrong_arguments", only(luaflow.deploy(flow_of "orders", "orders")).code)
    assert.same("wrong_arguments", only(luaflow.deploy(nil, {})).code)
    assert.same("wrong_arguments", only(luaflow.deploy(luaflow.deploy(flow_of "orders", {}), {})).code)
  end)

  it("offers the nearest option, and the right place for one of another call", function()
    assert.same('did you mean "routes"?', only(luaflow.deploy(flow_of "orders", { route = {} })).hint)
    local queue = only(luaflow.deploy(flow_of "orders", { queue = "pricing" }))
    assert.same("misplaced_option", queue.code)
    assert.same('route steps with luaflow.deploy(flow, { routes = { STEP = "QUEUE" } })', queue.hint)
    assert.same("it is one of worker", only(luaflow.deploy(flow_of "orders", { name = "fn" })).hint)
  end)

  it("reports routes whose keys are no slugs at all", function()
    local problem = only(luaflow.deploy(flow_of "orders", { routes = { "pricing" } }))
    assert.same({ "unknown_step", "routes names 1, which is not a step of flow 'orders'" }, { problem.code, problem.message })
  end)

  it("reports a flow without steps", function()
    assert.same("no_steps", only(luaflow.deploy(luaflow.flow { slug = "empty" }, {})).code)
  end)

  it("has the problems of its flow too", function()
    assert.same("out_of_range", only(luaflow.deploy(flow_of("orders"):step({ slug = "x", timeout = 0 }, handler), {})).code)
  end)
end)

describe("retain", function()
  it("is the same deployment, retained", function()
    local deployed = luaflow.deploy(flow_of "orders", {})
    local retained = luaflow.retain(deployed)
    local deployment, is_retained = deploy.deployment(retained)
    assert.equal(deploy.deployment(deployed), deployment)
    assert.is_true(is_retained)
    assert.is_false(select(2, deploy.deployment(deployed)))
    assert.equal(deployed.flow, retained.flow)
  end)

  it("reports what is no deployed flow", function()
    assert.same("wrong_arguments", only(luaflow.retain(nil)).code)
    assert.same("retain takes a deployed flow, not nil", only(luaflow.retain(nil)).message)
  end)
end)
