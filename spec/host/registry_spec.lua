-- One worker on one queue with a registry of many flows and versions: what it serves, what it refuses, and what happens
-- when work appears that it does not know.
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local function flow(slug, steps)
  return ([[
    local luaflow = require "luaflow"
    return luaflow.flow { slug = "%s", base_delay = 0 }%s
  ]]):format(slug, steps)
end

local function step(slug, body)
  return (":step({ slug = %q }, function(input, ctx) %s end)"):format(slug, body or "return input")
end

-- Four plain flows, two versions under one alias, and what else may be routed to the queue.
local FLOWS = {
  ["lib/one.lua"] = flow("one", step "a"),
  ["lib/two.lua"] = flow("two", step "a" .. step "b"),
  ["lib/three.lua"] = flow("three", step "a"),
  ["lib/four.lua"] = flow("four", step "a"),
  ["lib/five_v1.lua"] = flow("five_v1", step("a", "return 'v1'")),
  ["lib/five_v2.lua"] = flow("five_v2", step("a", "return 'v2'") .. step "z"),
  ["lib/extra.lua"] = flow("extra", step "a"),
  ["lib/sixth.lua"] = flow("sixth", step "a" .. step "b"),
  ["lib/deployed.lua"] = [[
    local luaflow = require "luaflow"
    local function on_main(module, steps, alias)
      local routes = {}
      for _, slug in ipairs(steps) do routes[slug] = "main" end
      return luaflow.deploy(require("lib." .. module), { routes = routes, alias = alias })
    end
    return {
      one = on_main("one", { "a" }), two = on_main("two", { "a", "b" }), three = on_main("three", { "a" }), four = on_main("four", { "a" }),
      five_v1 = on_main("five_v1", { "a" }, "five"), five_v2 = on_main("five_v2", { "a", "z" }, "five"),
      sixth = luaflow.deploy(require "lib.sixth", { routes = { b = "main" } }),
    }
  ]],
  ["flows/main.lua"] = [[
    local luaflow, d = require "luaflow", require "lib.deployed"
    return luaflow.worker { queue = "main", flows = { d.one, d.two, d.three, d.four, d.five_v2, luaflow.retain(d.five_v1) } }
  ]],
  ["flows/first.lua"] = [[
    local luaflow, d = require "luaflow", require "lib.deployed"
    return luaflow.worker { queue = "main", flows = { d.one, d.two, d.three, d.four, d.five_v1 } }
  ]],
  ["flows/without_v1.lua"] = [[
    local luaflow, d = require "luaflow", require "lib.deployed"
    return luaflow.worker { queue = "main", flows = { d.one, d.two, d.three, d.four, d.five_v2 } }
  ]],
  -- The two versions from another queue's worker.
  ["flows/elsewhere.lua"] = [[
    local luaflow, d = require "luaflow", require "lib.deployed"
    return luaflow.worker { queue = "extra", flows = { luaflow.deploy(require "lib.extra", {}), d.five_v2, luaflow.retain(d.five_v1) } }
  ]],
  ["flows/sixth.lua"] = [[
    local luaflow, d = require "luaflow", require "lib.deployed"
    return luaflow.worker { queue = "sixth", flows = { d.sixth } }
  ]],
  ["flows/complete.lua"] = [[
    local luaflow, d = require "luaflow", require "lib.deployed"
    return luaflow.worker { queue = "main", flows = { d.one, d.two, d.three, d.four, d.five_v2, luaflow.retain(d.five_v1), d.sixth } }
  ]],
}

describe("a worker's registry", function()
  local here

  before_each(function() here = scene.open(FLOWS) end)
  after_each(function() here:close() end)

  local function start(name, count)
    here.db:text("select count(*) from generate_series(1, :'count'::int) n, lateral pgflow.start_flow(:'name', to_jsonb(n)) r", {
      count = count or 1, name = name,
    })
  end

  local function completed()
    return here.db:number "select count(*) from pgflow.runs where status = 'completed'"
  end

  local function await_completed(count)
    wait.till(function() return completed() == count end, 20, count .. " completed runs")
  end

  local function worker(module)
    return here:worker { paths = { ("flows/%s.lua"):format(module) }, args = { "--executors=1" } }
  end

  it("serves five flows and two versions of one of them on its one queue", function()
    local first = worker "first"
    assert.same({ code = 0 }, first:stop())
    start("five", 10) -- v1: its worker has gone
    worker "main"
    for _, name in ipairs { "one", "two", "three", "four", "five" } do start(name, 10) end
    await_completed(60)
    assert.same({ { flow_slug = "five_v1", runs = 10 }, { flow_slug = "five_v2", runs = 10 } }, here.db:rows [[
      select flow_slug, count(*) as runs from pgflow.runs where flow_alias = 'five' group by 1 order by 1]])
    here:assert_consistent()
  end)

  it("may drop a version only once nothing of it can reach the queue", function()
    local first = worker "first"
    assert.same({ code = 0 }, first:stop())
    start "five" -- nobody is there to run it
    local other = here:worker { paths = { "flows/elsewhere.lua" }, args = { "--executors=1" } } -- moves the alias from another queue
    local before = here.db:text "select jsonb_agg(w order by w.worker_id)::text from pgflow.workers w"

    local refused = here:launch { paths = { "flows/without_v1.lua" }, args = { "--executors=1", "--log-format=text" } }
    assert.same({ code = 5 }, refused.process:wait(15))
    local told = refused.process:errors()
    for _, words in ipairs { "five_v1: uncovered", "Step a: run ", "is started and can still reach the step", "luaflow.retain" } do
      assert.truthy(told:find(words, 1, true), words .. " is missing in:\n" .. told)
    end
    assert.equal(before, here.db:text "select jsonb_agg(w order by w.worker_id)::text from pgflow.workers w")

    local last = worker "main"
    await_completed(1)
    assert.same({ code = 0 }, last:stop())
    assert.same({ code = 0 }, other:stop())
    worker "without_v1"
  end)

  it("that lacks a pair of a batch claims nothing of it, and ends with 5; a complete one does all", function()
    local main = worker "main"
    here:worker { paths = { "flows/sixth.lua" }, args = { "--executors=1" } } -- routes a step of its flow to the queue main
    -- A batch of known and unknown work, seen at once.
    main.process:signal(process.SIGSTOP)
    here.db:text [[update pgflow.workers set last_heartbeat_at = clock_timestamp() where queue_name = 'main']]
    start("one", 5)
    start("sixth", 5)
    wait.till(function()
      return here.db:number "select count(*) from pgflow.step_tasks where queue_name = 'main' and step_slug = 'b'" == 5
    end, 15, "the tasks of the sixth flow on the queue")
    local tasks = "select jsonb_agg(t order by t.run_id, t.step_slug)::text from pgflow.step_tasks t where queue_name = 'main'"
    local before = here.db:text(tasks)
    main.process:signal(process.SIGCONT)

    assert.same({ code = 5 }, main.process:wait(20))
    local told = main.process:errors()
    assert.truthy(told:find("sixth", 1, true) and told:find("unknown", 1, true), told)
    assert.equal(before, here.db:text(tasks))
    assert.equal(10, here.db:number "select count(*) from pgmq.q_main where vt <= clock_timestamp()")
    assert.equal(0, here.db:number "select coalesce(sum(attempts_count), 0) from pgflow.step_tasks where queue_name = 'main'")

    worker "complete"
    await_completed(10)
    here:assert_consistent()
  end)
end)
