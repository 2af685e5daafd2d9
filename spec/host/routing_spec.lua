-- Routing: which queue a step's tasks go to is a class of configuration of its own, beside a flow's shape and its runtime options.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local assert_says = require("spec.support.said").assert_says

local ORDER = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "order", timeout = 30, base_delay = 0 }
  :step({ slug = "check" }, function(_, ctx)
    if ctx.attempt == 1 then luaflow.retry_after(0, "again") end
    return { queue = ctx.queue, worker = ctx.worker_id, seconds = ctx.deadline - os.time() }
  end)
  :step({ slug = "price", depends_on = { "check" } }, function(_, ctx)
    if ctx.attempt == 1 then error "again" end
    return { queue = ctx.queue, worker = ctx.worker_id }
  end)
  :step({ slug = "pack", depends_on = { "price", "check" } }, function(deps, ctx)
    return { deps.check, deps.price, { queue = ctx.queue, worker = ctx.worker_id } }
  end)
]]

local DEPLOYED = [[
local luaflow = require "luaflow"
return { luaflow.deploy(require "flows.order", { routes = { price = "pricing", pack = "packing" } }) }
]]

describe("a flow over three queues", function()
  local here

  before_each(function() here = scene.open { ["flows/order.lua"] = ORDER, ["flows/deployed.lua"] = DEPLOYED } end)
  after_each(function() here:close() end)

  it("has every message sent, claimed, retried and archived in its task's queue", function()
    local worker_of = {}
    for _, queue in ipairs { "order", "packing", "pricing" } do
      local started = here:worker { args = { "--queue", queue, "--executors", "1" } }
      worker_of[queue] = started:log("running")[1].worker
    end
    local run_id = here.db:start "order"
    assert.equal("completed", here.db:await_run(run_id).status)
    local seen = here.db:row("select r.output -> 'pack' as steps from pgflow.runs r where r.run_id = :'id'", { id = run_id }).steps
    for i, queue in ipairs { "order", "pricing", "packing" } do
      assert.same({ queue, worker_of[queue] }, { seen[i].queue, seen[i].worker })
      -- One message was ever sent there: the task's own, read once for each attempt, and archived.
      assert.same({ { read_ct = queue == "packing" and 1 or 2, own = true } }, here.db:rows(([[
        select m.read_ct, exists (
          select from pgflow.step_tasks t
          where t.run_id = :'id' and t.queue_name = '%s' and t.message_id = m.msg_id) as own
        from pgmq.a_%s m]]):format(queue, queue), { id = run_id }))
      assert.equal(0, here.db:number(("select count(*) from pgmq.q_%s"):format(queue)))
    end
    here:assert_consistent()
  end)
end)

describe("the example of two versions", function()
  local here

  before_each(function()
    local contents = {}
    for _, name in ipairs { "order_intake", "order_intake_v2", "deployed", "order_workers" } do
      local path = "flows/" .. name .. ".lua"
      contents[path] = files.read(path)
    end
    here = scene.open(contents)
  end)
  after_each(function() here:close() end)

  it("goes from the plain flow to the routed one under its name", function()
    local order = '{"lines": [{"sku": "a", "qty": 2}, {"sku": "b", "qty": 10}], "express": true}'
    local plain = here:worker { paths = { "flows/order_intake.lua" }, args = { "--executors", "1" } }
    assert.equal('{"total": {"cents": 1200, "version": 1}}', here.db:complete("order_intake", order).output_text)
    assert.same({ code = 0 }, plain:stop())
    for _, queue in ipairs { "order_intake", "order_intake_v2", "pricing" } do
      here:worker { paths = { "flows/order_workers.lua" }, args = { "--queue", queue, "--executors", "1" } }
    end
    assert.equal('{"total": {"cents": 2600, "version": 2}}', here.db:complete("order_intake", order).output_text)
    assert.equal("courier order_intake_v2, price pricing, total order_intake_v2, validate order_intake_v2", here.db:text [[
      select string_agg(distinct t.step_slug || ' ' || t.queue_name, ', ') from pgflow.step_tasks t where t.flow_slug = 'order_intake_v2']])
    here:assert_consistent()
  end)
end)

describe("a change under the same slug", function()
  local here

  before_each(function() here = scene.open { ["flows/order.lua"] = ORDER, ["flows/deployed.lua"] = DEPLOYED } end)
  after_each(function() here:close() end)

  -- A worker that is refused: its standard error. Nothing changes.
  local function refusal()
    local before = here.db:definitions()
    local text, code = here:refusal { args = { "--queue", "order", "--executors", "1", "--log-format", "text" } }
    assert.equal(4, code, text)
    assert.equal(before, here.db:definitions())
    return text
  end

  it("of a timeout deploys, and holds for tasks that have not started", function()
    -- The seconds that the first step of a run was given.
    local function seconds(run_id)
      return wait.till(function()
        return tonumber(here.db:text([[
          select t.output ->> 'seconds' from pgflow.step_tasks t
          where t.run_id = :'id' and t.step_slug = 'check' and t.status = 'completed']], { id = run_id }))
      end, 10, "the step to complete")
    end
    here:worker { args = { "--queue", "order", "--executors", "1" } }
    local before = seconds(here.db:start "order")
    assert.is_true(before > 20 and before <= 31, tostring(before))
    here:stop_workers()
    local queued = here.db:start "order"
    here.root:write("flows/order.lua", (ORDER:gsub("timeout = 30", "timeout = 7")))
    local again = here:worker { args = { "--queue", "order", "--executors", "1" } }
    assert.equal("verified", again:log("deployed_flow")[1].status)
    local after = seconds(queued)
    assert.is_true(after > 0 and after <= 8, tostring(after))
  end)

  it("of a dependency is refused as a shape, of a route as a routing, and each says what differs", function()
    here:worker { args = { "--queue", "order", "--executors", "1" } }
    here:stop_workers()
    here.root:write("flows/order.lua", (ORDER:gsub('{ "price", "check" }', '{ "price" }')))
    local text = refusal()
    assert_says(text, "luaflow: deploy: refused, nothing was changed\n",
      "  order: shape_mismatch: the shape of a deployed flow cannot change: give the new version its own slug\n",
      "    Step at index 2: depends_on: in the modules [price], in the database [check, price]\n")
    assert.is_nil(text:find("routing", 1, true), text)

    here.root:write("flows/order.lua", ORDER)
    here.root:write("flows/deployed.lua", (DEPLOYED:gsub('price = "pricing"', 'price = "prices"')))
    text = refusal()
    assert_says(text, "luaflow: deploy: refused, nothing was changed\n",
      "  order: routing_mismatch: the routing of a deployed flow cannot change: give the new version its own slug\n",
      "    Step price: queue: in the modules 'prices', in the database 'pricing'\n")
    assert.is_nil(text:find("shape", 1, true), text)
  end)
end)

describe("a registry of ten flows", function()
  local here

  after_each(function() here:close() end)

  local TEN = [[
local luaflow = require "luaflow"
local flows = {}
for i = 1, 10 do
  local flow = luaflow.flow { slug = "flow_" .. i }:step({ slug = "only" }, function() return i end)
  flows[i] = luaflow.deploy(flow, { routes = { only = "ten" } })
end
return luaflow.worker { queue = "ten", flows = flows }
]]

  -- The whole database as SQL, without the lines that are random.
  local function dump()
    local result = process.run { argv = { "pg_dump", "-d", here.db.conninfo }, seconds = 60 }
    assert.equal(0, result.code, result.err)
    return (result.out:gsub("\n\\u?n?restrict [^\n]*", ""))
  end

  it("changes nothing at all if one in its middle is refused", function()
    here = scene.open { ["flows/first.lua"] = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "flow_5" }:step({ slug = "other" }, function() return 5 end)
]] }
    here:worker { args = { "--executors", "1" } }
    here:stop_workers()
    here.root:write("flows/first.lua", TEN)
    local before = dump()
    local refused = here:launch { args = { "--executors", "1" } }
    assert.same({ code = 4 }, refused.process:wait(15), refused.process:errors())
    assert.equal("flow_5", refused:log("deployment_refused")[1].flow)
    assert.equal(1, #refused:log "deployment_refused")
    refused.process:forget()
    here.workers = {}
    local after = dump()
    assert.is_true(#before > 10000)
    assert.is_true(before == after, "the dumps differ")
  end)
end)

describe("luaflow check", function()
  local here

  after_each(function() here:close() end)

  it("names every problem of aliases, routes, queues and workers", function()
    local plain = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "SLUG" }:step({ slug = "price" }, print):step({ slug = "total" }, print)
]]
    here = scene.open {
      ["flows/a.lua"] = (plain:gsub("SLUG", "a")), ["flows/b.lua"] = (plain:gsub("SLUG", "b")),
      ["flows/c.lua"] = (plain:gsub("SLUG", "c")), ["flows/d.lua"] = (plain:gsub("SLUG", "d")),
      ["flows/misplaced.lua"] = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "misplaced", alias = "a" }
  :step({ slug = "only", queue = "q" }, function() end)
]],
      ["flows/routes.lua"] = [[
local luaflow = require "luaflow"
return {
  luaflow.deploy(require "flows.a", { routes = { prize = "pricing", total = "Pricing" } }),
  luaflow.deploy(require "flows.b", { alias = "c", rotues = {} }),
  luaflow.deploy(require "flows.c", { alias = "other" }),
}
]],
      ["flows/workers.lua"] = [[
local luaflow = require "luaflow"
local d1, d2 = luaflow.deploy(require "flows.d", {}), luaflow.deploy(require "flows.d", { alias = "x" })
local function single(slug) return luaflow.flow { slug = slug }:step({ slug = "s" }, print) end
local e, f = luaflow.deploy(single "e", { alias = "d", routes = { s = "d" } }), luaflow.deploy(single "f", { routes = { s = "pricing" } })
return {
  luaflow.worker { queue = "pricng", flows = { f } },
  luaflow.worker { queue = "d", flows = { d1, e } },
  luaflow.worker { queue = "x", flows = { d2 } },
}
]],
    }
    local result = here:luaflow { "check", "flows" }
    assert.equal(3, result.code, result.err)
    for _, line in ipairs {
      "flows/misplaced.lua:2: [misplaced_option] alias is not an option of flow (name the alias in luaflow.deploy(",
      "flows/misplaced.lua:3: [misplaced_option] step 'only': queue is not an option of step (route steps with luaflow.deploy(",
      [[flows/routes.lua:3: [unknown_step] routes names 'prize', which is not a step of flow 'a' (did you mean "price"?)]],
      [[flows/routes.lua:3: [invalid_queue_name] the route of 'total' 'Pricing' must start with a lower-case letter]],
      [[(write "pricing")]],
      [[flows/routes.lua:4: [unknown_option] unknown option 'rotues' (did you mean "routes"?)]],
      [[flows/routes.lua:4: [alias_conflict] alias 'c' is the slug of a flow of alias 'other' at flows/routes.lua:5]],
      [[flows/workers.lua:2: [duplicate_deployment] flow 'd' is also deployed at flows/workers.lua:2]],
      [[flows/workers.lua:6: [queue_without_steps] no step of flows is routed to queue 'pricng' (did you mean "pricing"?)]],
      [[flows/workers.lua:7: [several_active] 'd' and 'e' are both active under alias 'd']],
      [[flows/workers.lua:8: [queue_without_steps] no step of flows is routed to queue 'x']],
    } do
      assert.truthy(result.out:find(line, 1, true), ("%q is missing in:\n%s"):format(line, result.out))
    end
    assert.truthy(result.err:find("10 problems", 1, true), result.err .. result.out)
  end)
end)
