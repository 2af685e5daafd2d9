-- The rollout of a version that spans three queues, forth and back under continuous load; and rollouts that are interrupted at every step.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local assert_says, assert_refused = said.assert_says, said.assert_refused

-- Each handler puts the version of its code into its output: what ran which run can be read there.
local DEPLOYED = [[
local luaflow = require "luaflow"

local v1 = luaflow.flow { slug = "trip_v1", timeout = 100 }
  :step({ slug = "plan" }, function() return "plan 1" end)
  :step({ slug = "book", depends_on = { "plan" } }, function(deps, ctx)
    if luaflow.is_null(ctx.env.BUSY) then return deps.plan .. ", book 1" end
    local file = io.open(ctx.env.SPEC_FOLDER .. "/begun", "w")
    file:close()
    while not io.open(ctx.env.SPEC_FOLDER .. "/go") do ctx:sleep(0.05) end
    return deps.plan .. ", book 1"
  end)
  :step({ slug = "pay", depends_on = { "book" } }, function(deps) return deps.book .. ", pay 1" end)

local v2 = luaflow.flow { slug = "trip_v2", timeout = 100 }
  :step({ slug = "plan" }, function() return "plan 2" end)
  :step({ slug = "check", depends_on = { "plan" } }, function(deps) return deps.plan .. ", check 2" end)
  :step({ slug = "book", depends_on = { "check" } }, function(deps) return deps.check .. ", book 2" end)
  :step({ slug = "pay", depends_on = { "book" } }, function(deps) return deps.book .. ", pay 2" end)

return {
  v1 = luaflow.deploy(v1, { alias = "trip", routes = { plan = "planning", book = "booking", pay = "paying" } }),
  v2 = luaflow.deploy(v2, { alias = "trip", routes = { plan = "paying", check = "planning", book = "paying", pay = "booking" } }),
}
]]

local function workers_of(flows)
  return ([[
local luaflow, deployed = require "luaflow", require "deployed"
local flows = { %s }
return {
  luaflow.worker { queue = "planning", flows = flows },
  luaflow.worker { queue = "booking", flows = flows },
  luaflow.worker { queue = "paying", flows = flows },
}
]]):format(flows)
end

local FILES = {
  ["lua/deployed.lua"] = DEPLOYED,
  ["flows/old.lua"] = workers_of "deployed.v1",
  ["flows/new.lua"] = workers_of "deployed.v2, luaflow.retain(deployed.v1)",
  ["flows/back.lua"] = workers_of "deployed.v1, luaflow.retain(deployed.v2)",
}

local QUEUES = { "booking", "paying", "planning" } -- their workers' functions have the same names

describe("luaflow rollout", function()
  local here

  before_each(function() here = scene.open(FILES) end)
  after_each(function() here:close() end)

  local function luaflow(...)
    return here:luaflow { ... }
  end

  local function succeed(...) return (here:succeed(...)) end

  -- Three workers with the flows of that file, waited for until they log that verb.
  local function launch(name, verb, env)
    local workers = {}
    for i, queue in ipairs(QUEUES) do
      workers[i] = here:launch { paths = { "flows/" .. name .. ".lua" }, args = { "--queue", queue, "--executors", "1" }, env = env }
    end
    for _, worker in ipairs(workers) do worker:await_log(verb, 20) end
    return workers
  end

  local function begin(options)
    local argv = { process.luaflow(), "rollout", "begin", unpack(QUEUES) }
    local env = { DATABASE_URL = here.db.conninfo, TERM = "xterm" }
    return process.spawn { argv = argv, name = "rollout", env = env, terminal = options and options.terminal }
  end

  local function step()
    return cjson.decode(succeed("rollout", "status", "--json")).step
  end

  local function enabled()
    return here.db:text "select string_agg(f.function_name, ' ' order by f.function_name) from pgflow.worker_functions f where f.enabled"
  end

  describe("under load", function()
    -- Starts a run every 10 ms, each in a transaction of its own, until told to stop; fails where a start fails.
    local LOAD = [[
      do $load$
      begin
        while exists (select from public.load l where l.going) loop
          perform pgflow.start_flow('trip', '{}');
          update public.load set started = started + 1;
          commit;
          perform pg_sleep(0.01);
        end loop;
      end;
      $load$]]

    local function start_load()
      here.db:text "create table public.load (going boolean, started int); insert into public.load values (true, 0)"
      here.root:write("load.sql", LOAD)
      return process.spawn {
        argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", here.db.conninfo, "-f", "-" }, name = "load",
        stdin = here.root:at "load.sql",
      }
    end

    -- Waits until so many more runs were started.
    local function await_starts(more)
      local before = here.db:number "select l.started from public.load l"
      wait.till(function() return here.db:number "select l.started from public.load l" >= before + more end, 30, "runs to be started")
    end

    -- The sequence of tools/README.md.
    local function roll_out(old, name)
      assert_says(succeed("rollout", "begin", unpack(QUEUES)), "drained")
      for _, worker in ipairs(old) do assert.same({ code = 0 }, worker.process:wait(5)) end
      local new = launch(name, "fenced")
      assert.equal(0, here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'started'")
      assert.equal("booking is enabled again\npaying is enabled again\nplanning is enabled again\n", succeed("rollout", "finish"))
      for _, worker in ipairs(new) do worker:await_log("running", 20) end
      return new
    end

    it("goes forth and back: no run fails, is lost, or is executed by another version", function()
      local workers = launch("old", "running")
      local load = start_load()
      await_starts(100)
      workers = roll_out(workers, "new")
      await_starts(100)
      workers = roll_out(workers, "back")
      await_starts(100)
      here.db:text "update public.load set going = false"
      assert.same({ code = 0 }, load:wait(10))
      load:forget()
      here.db:await_runs(60)

      assert.same({ status = "completed", count = here.db:number "select l.started from public.load l" },
        here.db:row "select min(r.status) as status, count(*) from pgflow.runs r")
      assert.same({
        { flow_slug = "trip_v1", output = { pay = "plan 1, book 1, pay 1" } },
        { flow_slug = "trip_v2", output = { pay = "plan 2, check 2, book 2, pay 2" } },
      }, here.db:rows "select distinct r.flow_slug, r.output from pgflow.runs r order by 1")
      assert.same({ "trip_v1", "trip_v2", "trip_v1" }, cjson.decode(here.db:text
        "select json_agg(a.to_flow_slug order by a.activation_id) from pgflow.alias_activations a"))
      assert.equal(0, here.db:number "select count(*) from pgflow.step_tasks t where t.attempts_count <> 1")
      -- Runs moved between versions only where the alias did.
      assert.equal(3, here.db:number [[
        select count(*) from (
          select r.flow_slug is distinct from lag(r.flow_slug) over (order by r.started_at) as changed from pgflow.runs r
        ) c where c.changed]])
      here:assert_consistent()
      for _, worker in ipairs(workers) do assert.is_nil(worker.process:poll()) end
    end)
  end)

  describe("interrupted", function()
    -- Old workers of which one has a task in flight, until let_go.
    local function start_busy()
      local workers = launch("old", "running", { BUSY = "yes" })
      here.db:start "trip"
      wait.till(function() return files.exists(here.root:at "begun") end, 10, "the handler to begin")
      return workers
    end

    local function let_go() here.root:write("go", "") end

    local function assert_ended(workers)
      for _, worker in ipairs(workers) do assert.same({ code = 0 }, worker.process:wait(20)) end
    end

    it("waits for what runs, and shows it", function()
      local workers = start_busy()
      local begun = begin()
      wait.till(function() return begun:errors():find "booking: 1 worker, 1 task" end, 20, "the waiting to be shown")
      assert.equal("draining", step())
      assert_says(succeed("rollout", "status"), "a rollout has been open for ", "draining: ", "luaflow workers shows them")
      assert_refused(luaflow("rollout", "finish"), 1, "old workers are still alive: booking (1)", "hint: ")
      assert.equal("", enabled())
      let_go()
      assert.same({ code = 0 }, begun:wait(20))
      assert_says(begun:output(), "booking is disabled; it was enabled before\n", "drained: ", "luaflow rollout finish")
      begun:forget()
      assert_ended(workers)
      assert.equal("drained", cjson.decode(succeed("rollout", "begin", "--json", unpack(QUEUES))).step)
      assert.same({ step = "none", functions = {} }, cjson.decode(succeed("rollout", "finish", "--json")))
      assert.equal("none", step())
      launch("new", "running")
      here.db:await_runs()
      assert.equal("plan 1, book 1, pay 1", here.db:row("select r.output from pgflow.runs r").output.pay)
    end)

    it("goes on after Ctrl-C, a closed terminal and a kill", function()
      local workers = start_busy()
      local interrupted = begin { terminal = true }
      wait.till(function() return interrupted:output():find "waiting for" end, 20, "the waiting to be shown")
      interrupted.terminal:type "\3"
      assert.same({ code = 130 }, interrupted:wait(10))
      assert_says(interrupted:output(), "the rollout stays open", "begin with the same names")
      interrupted:forget()

      local closed = begin { terminal = true }
      wait.till(function() return closed:output():find "waiting for" end, 20, "the waiting to be shown")
      closed.terminal:close()
      assert.same({ signal = process.SIGHUP }, closed:wait(10))
      closed:forget()

      local killed = begin()
      wait.till(function() return killed:errors():find "waiting for" end, 20, "the waiting to be shown")
      killed:kill()
      killed:forget()

      assert.equal("draining", step())
      assert_refused(luaflow("rollout", "begin", "booking"), 1, "a rollout of booking, paying, planning is open", "hint: ")
      let_go()
      assert_says(succeed("rollout", "begin", "planning", "booking", "paying"), "planning is disabled; it was enabled before\n", "drained")
      assert_ended(workers)
      succeed("rollout", "finish")
      assert.equal("booking paying planning", enabled())
      launch("new", "running")
      here.db:await_runs()
    end)

    it("is whole or not at all, wherever begin and finish are killed", function()
      launch("old", "running")
      here:stop_workers()
      succeed("functions", "disable", "paying")
      -- Until the command is quicker than the kill; at least the first one is not.
      local function kill_within(argv, done)
        local delay = 0
        while delay < 20000 do
          local command = process.spawn { argv = { process.luaflow(), "rollout", unpack(argv) }, name = "rollout",
            env = { DATABASE_URL = here.db.conninfo } }
          wait.pause(delay * 0.001)
          command:kill()
          command:forget()
          local open, now = here.db:text "select exists (select from pgflow.rollout_status())" == "t", enabled()
          assert.truthy(open and now == "" or not open and now == "booking planning", tostring(open) .. " " .. now)
          if open == done then return end
          delay = math.max(delay + 4, delay * 1.1)
        end
        error "it was never done"
      end
      for _ = 1, 2 do
        kill_within({ "begin", unpack(QUEUES) }, true)
        assert_says(succeed("rollout", "begin", unpack(QUEUES)), "paying is disabled; it was disabled before\n", "drained")
        kill_within({ "finish" }, false)
        assert_refused(luaflow("rollout", "finish"), 1, "no rollout is open")
      end
      assert_says(succeed "functions", "booking   enabled ", "paying    disabled ", "planning  enabled ")
    end)

    it("can be finished by force past a worker that does not stop", function()
      local workers = launch("old", "running")
      for _, worker in ipairs(workers) do worker.process:signal(process.SIGSTOP) end
      local begun = begin()
      wait.till(function() return begun:errors():find "waiting for" end, 20, "the waiting to be shown")
      assert_refused(luaflow("rollout", "finish"), 1, "old workers are still alive")
      assert_says(succeed("functions"), "in the rollout; enabled before")
      succeed("rollout", "finish", "--force")
      assert.same({ code = 1 }, begun:wait(10))
      assert_says(begun:errors(), "another command has finished it")
      begun:forget()
      local new = launch("new", "running")
      assert.equal("plan 2, check 2, book 2, pay 2", here.db:complete("trip").output.pay)
      for _, worker in ipairs(workers) do worker.process:signal(process.SIGCONT) end
      assert_ended(workers)
      for _, worker in ipairs(new) do assert.is_nil(worker.process:poll()) end
    end)
  end)

  it("has the workers of queues that are new wait too", function()
    here.root:write("lua/earliest.lua", [[
      local luaflow = require "luaflow"
      local flow = luaflow.flow { slug = "trip_v0" }:step({ slug = "plan" }, function() return "plan 0" end)
      return luaflow.deploy(flow, { alias = "trip", routes = { plan = "booking" } })]])
    here.root:write("flows/first.lua", 'return require "luaflow".worker { queue = "booking", flows = { require "earliest" } }')
    here.root:write("flows/new.lua", workers_of 'deployed.v2, luaflow.retain(require "earliest")')
    local old = here:launch { paths = { "flows/first.lua" }, args = { "--executors", "1" } }
    old:await_log("running", 20)
    local out = succeed("rollout", "begin", "booking", "--new", "paying", "--new", "planning")
    assert_says(out, "booking is disabled; it was enabled before\n", "paying is disabled; it will be enabled at the end\n", "drained")
    assert.same({ code = 0 }, old.process:wait(5))
    local new = launch("new", "fenced")
    assert.equal("trip_v0", here.db:text "select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = 'trip'")
    assert.equal("booking paying planning", here.db:text
      "select string_agg(s.function_name, ' ' order by s.function_name) from pgflow.rollout_status() s")
    assert.equal("booking is enabled again\npaying is enabled again\nplanning is enabled again\n", succeed("rollout", "finish"))
    for _, worker in ipairs(new) do worker:await_log("running", 20) end
    assert.equal("plan 2, check 2, book 2, pay 2", here.db:complete("trip").output.pay)
  end)

  it("shows waiting workers that would be refused, asks before it finishes, and doctor sees the queues that nobody serves then", function()
    local old = launch("old", "running")
    succeed("rollout", "begin", unpack(QUEUES))
    for _, worker in ipairs(old) do assert.same({ code = 0 }, worker.process:wait(10)) end
    here.root:write("lua/deployed.lua", (DEPLOYED:gsub('slug = "pay", depends_on', 'slug = "pay", transaction = true, depends_on')))
    local waiting = launch("old", "fenced")
    local status = succeed("rollout", "status")
    local why = "trip_v1: shape_mismatch: the shape of a deployed flow cannot change: give the new version its own slug: "
      .. "Step at index 2: transaction: in the modules 'true', in the database 'false'\n"
    assert_says(status, "booking   enabled  disabled  0  0  1  booking\n", "would be refused, of function booking:\n  worker ",
      " of queue booking: " .. why, " of queue paying: " .. why)
    local listed = cjson.decode(succeed("rollout", "status", "--json")).functions
    assert.same({ "booking", 1, "booking" }, { listed[1].function_name, listed[1].waiting_workers, listed[1].refusals[1].queue_name })
    assert_says(succeed "workers", "fenced", "worker function paying is disabled; its deployment would be refused: trip_v1: shape_mismatch")

    local asked = process.spawn { argv = { process.luaflow(), "rollout", "finish" }, name = "finish",
      env = { DATABASE_URL = here.db.conninfo }, terminal = true }
    wait.till(function() return asked:errors():find("finish all the same? [y/N] ", 1, true) end, 20, "the question")
    asked.terminal:type "n\r"
    assert.same({ code = 1 }, asked:wait(10))
    assert_says(asked:errors(), "trip_v1: shape_mismatch", "not finished: it stays open", "luaflow rollout finish --yes")
    asked:forget()
    assert.equal("", enabled())

    local result = luaflow("rollout", "finish", "--yes")
    assert.same({ 0, "booking is enabled again\npaying is enabled again\nplanning is enabled again\n" }, { result.code, result.out })
    assert_says(result.err, "would be refused, of function booking:")
    for _, worker in ipairs(waiting) do assert.same({ code = 4 }, worker.process:wait(20)) end
    local doctor = luaflow "doctor"
    assert.equal(1, doctor.code)
    assert_says(doctor.out, "queue booking has no live worker; active on it: trip_v1")
    assert.equal(0, here.db:number "select count(*) from pgflow.fenced_workers")
    for _, worker in ipairs(waiting) do worker.process:forget() end
    here.workers = {}
  end)

  it("refuses unknown names and words, and changes nothing", function()
    launch("old", "running")
    assert_refused(luaflow("rollout", "begin", "booking", "payin"), 1, "there is no worker function 'payin'", "did you mean paying?",
      "--new NAME")
    assert_refused(luaflow("rollout", "begin"), 2, "an argument is missing", "usage: luaflow rollout begin NAME...")
    assert_refused(luaflow("rollout", "begin", "booking", "--new"), 2, "--new needs a value")
    assert_refused(luaflow("rollout", "stauts"), 2, "there is no rollout stauts", "did you mean luaflow rollout status?")
    assert_refused(luaflow("rollout"), 2, "an argument is missing", "begin NAME... [--new NAME]... | status | finish")
    assert_refused(luaflow("rollout", "finish", "now"), 2, "now is one argument too many")
    assert.equal("booking paying planning", enabled())
    assert.equal("no rollout is open; luaflow rollout begin NAME... opens one\n", succeed("rollout", "status"))
  end)
end)
