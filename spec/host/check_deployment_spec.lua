-- `luaflow check --database`: what a deployment would do now, which writes nothing; then the deployment does just that.
local cjson = require "cjson"
local said = require "spec.support.said"
local scene = require "spec.support.scene"

local assert_says = said.assert_says

local ORDERS = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "orders" }
  :step({ slug = "check" }, function(input, ctx) ctx:sleep(input) return input end)
  :step({ slug = "pay", depends_on = { "check" } }, function(deps) return deps.check end)
]]

-- The next version, on the queue of the first or on its own.
local function next_version(slug, queue)
  return ([[
local luaflow = require "luaflow"
local flow = luaflow.flow { slug = "%s" }:step({ slug = "check" }, function(input) return input end)
local deployed = luaflow.deploy(flow, { alias = "orders", routes = { check = "%s" } })
return luaflow.worker { queue = "%s", flows = { deployed } }
]]):format(slug, queue, queue)
end

-- Another team's flow, which sends a step to the queue of the first.
local THEIRS = [[
local luaflow = require "luaflow"
local flow = luaflow.flow { slug = "theirs" }
  :step({ slug = "ship" }, function() return 1 end)
  :step({ slug = "bill" }, function() return 2 end)
return luaflow.worker { queue = "shipping", flows = { luaflow.deploy(flow, { routes = { ship = "shipping", bill = "orders" } }) } }
]]

describe("luaflow check --database", function()
  local here

  before_each(function()
    here = scene.open {
      ["flows/orders.lua"] = ORDERS, ["same/v2.lua"] = next_version("orders_v2", "orders"),
      ["own/v2.lua"] = next_version("orders_v2", "orders_v2"), ["theirs/theirs.lua"] = THEIRS,
    }
  end)
  after_each(function() here:close() end)

  local function check(path, ...) return here:luaflow { "check", path, "--database", here.db.conninfo, ... } end

  local function succeed(path, ...)
    local result = check(path, ...)
    assert.equal(0, result.code, result.err .. result.out)
    return result.out
  end

  local function serve(path) return here:worker { paths = { path }, args = { "--executors", "1", "--grace", "1s" } } end

  it("shows what would be created, verified, activated, kept and refused, and changes nothing", function()
    assert.equal("queue orders: ok\n  orders: created, activated\n", succeed "flows")
    assert.equal("0 0", here.db:text "select (select count(*) from pgflow.flows) || ' ' || (select count(*) from pgflow.worker_functions)")
    serve "flows"
    here.db:text "select pgflow.start_flow('orders', '60')"
    local before = here.db:definitions()
    here.root:write("flows/orders.lua", (ORDERS:gsub('slug = "check" }', 'slug = "check", timeout = 7 }')))
    assert.equal("queue orders: ok\n  orders: verified, already active\n    orders.check: timeout the flow's -> 7 s\n", succeed "flows")

    here.root:write("flows/orders.lua", (ORDERS:gsub('slug = "pay"', 'slug = "pay", transaction = true')))
    local refused = check "flows"
    assert.same({ 4, "luaflow: check: the deployment would be refused\n" }, { refused.code, refused.err })
    assert_says(refused.out, "queue orders: the deployment would be refused\n",
      "  orders: shape_mismatch: the shape of a deployed flow cannot change: give the new version its own slug\n",
      "    Step at index 1: transaction: in the modules 'true', in the database 'false'\n")

    -- A started run can reach this queue; not the other one.
    local uncovered = check "same"
    assert.equal(5, uncovered.code, uncovered.err)
    assert_says(uncovered.out, "orders: uncovered: tasks of these steps can still arrive on queue orders", "Step check: run ")
    assert.equal("queue orders_v2: ok\n  orders_v2: created, activated: alias orders: orders -> orders_v2\n", succeed "own")
    assert.equal(before, here.db:definitions())

    -- Then the deployment does it, and the stale one would be kept back.
    here.root:write("flows/orders.lua", ORDERS)
    local second = serve "own"
    assert.equal("activated", second:log("deployed_flow")[1].alias)
    assert.equal("orders_v2", here.db:text "select a.active_flow_slug from pgflow.flow_aliases a")
    assert_says(succeed "flows", "  orders: verified, kept: alias orders stays at orders_v2", "luaflow.retain",
      "luaflow flows retire orders")

    here.db:text "select pgflow.disable_worker_functions('{orders}'); update pgflow.worker_functions set enabled = false"
    assert_says(succeed "flows", "queue orders: ok (worker function orders is disabled: its workers wait)\n")
  end)

  it("names live workers that would lack steps, as the deployment's log and luaflow queues do then", function()
    local first = serve "flows"
    assert_says(succeed "theirs", "  theirs: created, activated: these workers stop at the first task of steps that they lack: ",
      " of queue orders (function orders) lacks theirs.bill\n")
    local answer = cjson.decode(succeed("theirs", "--json")).deployments[1]
    assert.same({ "shipping", "shipping", false, "created", "activated", "orders", "theirs.bill" }, {
      answer.queue, answer.name, answer.fenced, answer.flows[1].status, answer.flows[1].alias_status,
      answer.flows[1].lacking_workers[1].function_name, answer.flows[1].lacking_workers[1].pairs[1],
    })
    assert.equal(first:log("running")[1].worker, answer.flows[1].lacking_workers[1].worker_id)

    local line = serve("theirs"):log("deployed_flow")[1]
    assert.same({ "warn", "theirs.bill" }, { line.level, line.lacking_workers[1].pairs[1] })
    assert_says(here:succeed "queues", "theirs.bill: lacked by ", " (orders)")
    assert_says(here:succeed("queues", "--json"), '"pairs": ["theirs.bill"]')
  end)

  it("needs a role that may read, and looks at no database unless the flag is given", function()
    here.db:text [[
      do $$ begin create role spec_checks login; exception when duplicate_object then null; end $$;
      do $$ begin create role spec_nobody login; exception when duplicate_object then null; end $$;
      grant pgflow_reader to spec_checks]]
    local read_only = here.db.conninfo .. " options='-c default_transaction_read_only=on' user="
    local function as(role) return here:luaflow { "check", "flows", "--database", read_only .. role } end
    local good = as "spec_checks"
    assert.same({ 0, "queue orders: ok\n  orders: created, activated\n" }, { good.code, good.out }, good.err)
    local bad = as "spec_nobody"
    assert_says(bad.err, "grant pgflow_reader to spec_nobody")
    assert.equal("queue orders: ok\n", here:succeed("check", "flows"))
  end)
end)
