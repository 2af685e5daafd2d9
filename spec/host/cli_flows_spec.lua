-- `luaflow flows` and `luaflow queues`: versions, routes, what keeps an old version alive, and how queues stand.
local cjson = require "cjson"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local assert_says, assert_refused = said.assert_says, said.assert_refused

local DEPLOYED = [[
local luaflow = require "luaflow"
local order = luaflow.flow { slug = "order", timeout = 100 }
  :step({ slug = "find" }, function(_, ctx) ctx:sleep(ctx.env.NAP and tonumber(ctx.env.NAP) or 0) return 1 end)
local order_v2 = luaflow.flow { slug = "order_v2" }
  :step({ slug = "find" }, function() return 2 end)
  :step({ slug = "price", depends_on = { "find" } }, function(deps) return deps.find end)
return {
  v1 = luaflow.deploy(order, {}),
  v2 = luaflow.deploy(order_v2, { alias = "order", routes = { find = "order", price = "pricing" } }),
}
]]

local V1 = [[
local luaflow, deployed = require "luaflow", require "deployed"
return luaflow.worker { queue = "order", flows = { deployed.v1 } }
]]

local V2 = [[
local luaflow, deployed = require "luaflow", require "deployed"
return { luaflow.worker { queue = "order", flows = { deployed.v2, luaflow.retain(deployed.v1) } },
         luaflow.worker { queue = "pricing", flows = { deployed.v2, luaflow.retain(deployed.v1) } } }
]]

describe("luaflow flows and queues", function()
  local here

  before_each(function()
    here = scene.open { ["lua/deployed.lua"] = DEPLOYED, ["flows/v1.lua"] = V1, ["flows/v2.lua"] = V2 }
  end)

  after_each(function() here:close() end)

  local function luaflow(...)
    return here:luaflow { ... }
  end

  local function succeed(...)
    local out, err = here:succeed(...)
    assert.equal("", err)
    return out
  end

  -- The words of each line, columns being two spaces or more apart.
  local function table_of(text)
    local rows = {}
    for line in text:gmatch "[^\n]+" do
      local row = {}
      for cell in (line .. "  "):gmatch "(.-)  +" do row[#row + 1] = cell end
      rows[#rows + 1] = row
    end
    return rows
  end

  local function serve(name, queue, env)
    local args = { "--queue", queue, "--executors", "1", "--grace", "1s" }
    return here:worker { paths = { "flows/" .. name .. ".lua" }, args = args, env = env }
  end

  it("show versions, routes and what keeps an old version alive", function()
    assert.equal("", succeed "flows")
    assert.equal("[]\n", succeed("flows", "--json"))
    serve("v1", "order", { NAP = "60" })
    assert.same({ { "order", "order", "active", "0", "0", "no", "order" } }, table_of(succeed "flows"))

    local run_id = here.db:start "order"
    serve("v2", "order")
    assert.same({
      { "order", "order_v2", "active", "0", "0", "no", "order: find; pricing: price" },
      { "order", "order", "inactive", "1", "1", "no: 1 started run", "order" },
    }, table_of(succeed "flows"))
    local list = cjson.decode(succeed("flows", "--json"))
    assert.same({ "order_v2", true, false, { find = "order", price = "pricing" } },
      { list[1].flow_slug, list[1].active, list[1].droppable, list[1].routes })
    assert.same({ "order", false, false, "1 started run", 1 },
      { list[2].flow_slug, list[2].active, list[2].droppable, list[2].held_by, list[2].started_runs })

    succeed("cancel", run_id)
    assert.same({ "order", "order", "inactive", "0", "0", "yes", "order" }, table_of(succeed "flows")[2])
  end)

  it("retire an alias, after which it cannot be started", function()
    serve("v1", "order")
    assert_refused(luaflow("flows", "retire", "ordre"), 1, "there is no alias 'ordre'", "did you mean order?")
    assert_says(succeed("flows", "retire", "order"), "order is retired: its active version was order; new starts are refused")
    assert.equal("order already had no active version\n", succeed("flows", "retire", "order"))
    assert.is_false(cjson.decode(succeed("flows", "retire", "order", "--json"))[1].active)
    assert.same({ "order", "order", "retired", "0", "0", "yes", "order" }, table_of(succeed "flows")[1])
    assert_refused(luaflow("start", "order"), 1, "order")
    assert.equal(0, here.db:number "select count(*) from pgflow.runs")
  end)

  it("forget a version without runs, and no other", function()
    local v1 = serve("v1", "order")
    assert_refused(luaflow("flows", "forget", "order"), 1, "flow order is the active version of alias order", "hint: ")
    here.db:complete "order"
    v1:stop()
    local v2 = serve("v2", "order")
    assert_refused(luaflow("flows", "forget", "order"), 1, "flow order still has runs: 1", "luaflow prune --older-than")
    assert.equal("1 run deleted\n", succeed("prune", "--older-than", "0s"))
    assert_refused(luaflow("flows", "forget", "order"), 1, "still serves flow order")
    v2:stop()
    assert_refused(luaflow("flows", "forget", "orders"), 1, "there is no flow 'orders'", "did you mean order?")
    assert.equal("flow order is deleted\n", succeed("flows", "forget", "order"))
    assert.same({ "order_v2" }, { cjson.decode(succeed("flows", "--json"))[1].flow_slug, cjson.decode(succeed("flows", "--json"))[2] })
  end)

  it("refuse a wrong command line", function()
    assert_refused(luaflow("flows", "retier", "x"), 2, "there is no flows retier", "did you mean luaflow flows retire?")
    assert_refused(luaflow("flows", "retire"), 2, "an argument is missing", "usage: luaflow flows retire ALIAS")
    assert_refused(luaflow("flows", "forget", "a", "b"), 2, "b is one argument too many")
    assert_refused(luaflow("queues", "x"), 2, "x is one argument too many")
  end)

  it("queues show what waits, how long and for whom", function()
    assert.equal("", succeed "queues")
    serve("v2", "order")
    local before = table_of(succeed "queues")
    assert.same({ "order", "0", "0", "-", "0", "1" }, before[1])
    assert.same({ "pricing", "0", "0", "-", "0", "0", "order_v2.price" }, before[2])

    here.db:start_all("order", "[1, 2, 3]")
    wait.till(function() return here.db:number "select count(*) from pgmq.q_pricing" == 3 end, 10, "the steps of the other queue")
    local waiting = table_of(succeed "queues")[2]
    assert.truthy(waiting[4]:find "^%d", waiting[4])
    waiting[4] = "-"
    assert.same({ "pricing", "3", "3", "-", "0", "0", "order_v2.price" }, waiting)
    local list = cjson.decode(succeed("queues", "--json"))
    assert.same({ "pricing", 3, 3, 0, 0, { "order_v2.price" } },
      { list[2].queue_name, list[2].depth, list[2].visible, list[2].in_flight, list[2].live_workers, list[2].uncovered_pairs })
    assert.is_true(list[2].oldest_ms >= 0)

    serve("v2", "pricing")
    here.db:await_runs()
    assert.same({ { "order", "0", "0", "-", "0", "1" }, { "pricing", "0", "0", "-", "0", "1" } }, table_of(succeed "queues"))
  end)

  it("have titles on a terminal, and keep to its width", function()
    serve("v2", "order")
    local function shown(...)
      local program = process.spawn {
        argv = { process.luaflow(), ... }, name = "list", terminal = true,
        env = { DATABASE_URL = here.db.conninfo, TERM = "xterm", LC_ALL = "C.UTF-8", NO_COLOR = "1" },
      }
      assert.same({ code = 0 }, program:wait(20))
      local text = program:output():gsub("\r", "")
      program:forget()
      return text
    end
    assert.equal([[
QUEUE    DEPTH  VISIBLE  OLDEST  IN FLIGHT  WORKERS  NOT COVERED
order    0      0        -       0          1
pricing  0      0        -       0          0        order_v2.price
]], shown "queues")
    for line in shown("flows"):gmatch "[^\n]+" do assert.is_true(#line:gsub("[\128-\191]", "") < 80, line) end
    assert_says(shown("flows", "--json"), '        "flow_slug": "order_v2",\n')
  end)
end)
