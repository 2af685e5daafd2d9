-- What happens to the database and to the connections: nothing is lost, no attempt is taken, no handler runs twice.
local files = require "spec.support.files"
local process = require "spec.support.process"
local proxy = require "spec.support.proxy"
local scene = require "spec.support.scene"
local server = require "spec.support.server"
local wait = require "spec.support.wait"
local worker_of = require "spec.support.worker"

-- Each handler notes that it has run. A negative number takes a second.
local LOAD = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "load" }:map({ slug = "each" }, function(n, ctx)
  ctx:sleep(n < 0 and 1 or 0.01 * (n % 5))
  local file = io.open(ctx.env.SPEC_FOLDER .. "/ran", "a")
  file:write(ctx.run_id, " ", ctx.task_index, "\n")
  file:close()
  return n
end)
]]

local QUICK = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "quick" }:step({ slug = "work" }, function(input) return input end)
]]

local TWO_QUEUES = [[
local luaflow = require "luaflow"
local flow = luaflow.flow { slug = "pair" }
  :step({ slug = "first" }, function(_, ctx)
    ctx:sleep(0.05)
    local file = io.open(ctx.env.SPEC_FOLDER .. "/ran", "a")
    file:write(ctx.run_id, " 0\n")
    file:close()
    return 1
  end)
  :step({ slug = "second", depends_on = { "first" } }, function(deps) return deps.first + 1 end)
return luaflow.deploy(flow, { routes = { first = "pair_first", second = "pair_second" } })
]]

-- On the queue of pair's first step.
local NEIGHBOUR = [[
local luaflow = require "luaflow"
local flow = luaflow.flow { slug = "neighbour" }:step({ slug = "only" }, function(input, ctx)
  ctx:sleep(0.05)
  return input
end)
return luaflow.deploy(flow, { routes = { only = "pair_first" } })
]]

local WRITES = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "writes", max_attempts = 1, timeout = 60 }
  :step({ slug = "commit", transaction = true }, function(input, ctx)
    ctx.tx:query("insert into public.spec_written values ($1)", input)
  end)
  :step({ slug = "ask" }, function(input, ctx)
    ctx:query("insert into public.spec_written values ($1)", "asked " .. input)
  end)
]]

-- On the queue of writes.
local SLEEPS = [[
local luaflow = require "luaflow"
local flow = luaflow.flow { slug = "sleeps" }:step({ slug = "only" }, function(_, ctx) ctx:query "select pg_sleep(60)" end)
return luaflow.deploy(flow, { routes = { only = "writes" } })
]]

local WORK_BACKEND = [[
  select a.pid from pg_stat_activity a
  where a.datname = current_database() and a.application_name like 'luaflow worker%' and a.query like '%claim_tasks%']]

local LONG = os.getenv "LUAFLOW_LONG_SPECS" ~= nil

-- Supabase's, without a partition for today.
local REALTIME = [[
  create schema realtime;
  create table realtime.messages (payload jsonb, event text, inserted_at timestamp not null default now()) partition by range (inserted_at);
  create function realtime.send(payload jsonb, event text, topic text, private boolean) returns void language plpgsql as $$
  begin insert into realtime.messages (payload, event) values (payload, event); end $$]]

-- A trigger of somebody else's on our table.
local function trigger(on, when, body)
  return ([[
    create function public.spec_audit() returns trigger language plpgsql as $$ begin %s return new; end $$;
    create trigger spec_audit before update on pgflow.%s for each row when (%s) execute function public.spec_audit()]])
    :format(body, on, when)
end

describe("a database in trouble", function()
  local here, between

  before_each(function()
    here = scene.open { ["flows/load.lua"] = LOAD, ["flows/quick.lua"] = QUICK, ["flows/pair.lua"] = TWO_QUEUES,
      ["flows/neighbour.lua"] = NEIGHBOUR }
  end)

  after_each(function()
    here:close()
    if between then between:close() end
    between = nil
  end)

  local function numbers(count)
    local list = {}
    for i = 1, count do list[i] = i end
    return "[" .. table.concat(list, ",") .. "]"
  end

  local function count_ran(scene_)
    return #files.lines((scene_ or here).root:at "ran")
  end

  -- Every handler ran once, no task lost an attempt, and nothing stays behind.
  local function assert_ran_once(count, scene_)
    local at = scene_ or here
    local seen = {}
    for _, line in ipairs(files.lines(at.root:at "ran")) do
      assert.is_nil(seen[line], "ran twice: " .. line)
      seen[line] = true
    end
    assert.equal(count, count_ran(at))
    assert.equal(0, at.db:number [[
      select count(*) from pgflow.step_tasks t where (t.status, t.attempts_count) is distinct from ('completed', 1)]])
    at:assert_consistent()
  end

  -- A run that a notification brings is claimed far before the next poll, which comes every 2 s.
  -- By the median of five: polling alone would take a second on the average.
  local function assert_quick()
    local took = {}
    for i = 1, 5 do
      wait.pause(0.3)
      local run_id = here.db:start "quick"
      here.db:await_run(run_id)
      took[i] = here.db:number("select extract(epoch from t.started_at - t.queued_at) from pgflow.step_tasks t where t.run_id = :'id'",
        { id = run_id })
    end
    table.sort(took)
    assert.is_true(took[3] < 0.6, ("the median run was claimed after %.2f s"):format(took[3]))
  end

  it("notices a silent LISTEN connection, and renews it", function()
    between = proxy.open(here.db)
    local worker = here:worker { args = { "--queue", "quick" }, database = between.conninfo }
    assert_quick()
    between:tell("control", "silent")
    local from = wait.now()
    assert.equal("control", worker:await_log("database_lost", 30).connection)
    worker:await_log("database_back", 20)
    assert.is_true(wait.now() - from < 20)
    assert_quick()
    assert.equal(1, #worker:log "database_lost")
    here:assert_consistent()
  end)

  it("renews a LISTEN connection that is cut", function()
    between = proxy.open(here.db)
    local worker = here:worker { args = { "--queue", "quick" }, database = between.conninfo }
    between:tell("control", "cut")
    worker:await_log("database_back", 20)
    assert_quick()
  end)

  it("does not take a lock for silence", function()
    local worker = here:worker { args = { "--queue", "quick" } }
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-c", "begin; select from pgflow.workers for update; select pg_sleep(12)" },
    }
    local failed = worker:await_log("heartbeat_failed", 10)
    assert.equal("55P03", failed.sqlstate)
    here.db:complete("quick", "1", 4) -- a notification may wait behind the lock, polling does not
    assert.same({ code = 0 }, holder:wait(30))
    holder:forget()
    worker:await_log("heartbeat_works_again", 20)
    assert_quick()
    assert.same({}, worker:log "database_lost")
    assert.equal(1, #worker:log "heartbeat_failed")
  end)

  it("records what is free while somebody holds some runs for long", function()
    local worker = here:worker { args = { "--queue", "load" } }
    here.db:complete("load", "[1]")
    local held = here.db:start("load", "[-1, -1, -1]")
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-c",
        ("begin; select from pgflow.runs r where r.run_id = '%s' for update; select pg_sleep(12)"):format(held) },
    }
    wait.till(function()
      return here.db:sessions "a.query like 'begin; select from pgflow.runs%pg_sleep(12)'" == 1
    end, 10, "the run to be held")
    local from = wait.now()
    for _ = 1, 8 do here.db:await_run(here.db:start("load", numbers(5)), 30) end
    local took = wait.now() - from
    assert.is_true(took < 9, ("8 runs took %.1f s"):format(took))
    assert.same({ code = 0 }, holder:wait(30))
    holder:forget()
    here.db:await_run(held, 20)
    here:assert_consistent()
    assert.is_true(#worker:log "transactions_work_again" <= 1)
  end)

  it("goes on with its heartbeats while a recovery takes long", function()
    here:worker { args = { "--queue", "quick" } }
    local definition = here.db:text "select pg_get_functiondef('pgflow.recover_tasks(uuid)'::regprocedure)"
    here.db:text [[create or replace function pgflow.recover_tasks(p_worker_id uuid)
      returns table (run_id uuid, step_slug text, task_index int, reason text, outcome text)
      language plpgsql as $$ begin perform pg_sleep(14); end $$]]
    wait.till(function()
      return here.db:number "select count(*) from pgflow.worker_troubles t where t.trouble = 'recovery'" == 1
    end, 30, "the first recovery to be given up")
    local function age()
      return here.db:number "select extract(epoch from clock_timestamp() - min(w.last_heartbeat_at)) from pgflow.workers w"
    end
    wait.till(function() return age() < 2 end, 20, "a heartbeat over the next connection")
    local oldest = 0
    wait.till(function()
      oldest = math.max(oldest, age())
      return here.db:number "select count(*) from pgflow.worker_troubles t" == 0
    end, 60, "a recovery of 14 s to end well")
    here.db:text(definition)
    assert.is_true(oldest < 8, ("a heartbeat was %.1f s old"):format(oldest))
    assert_quick()
  end)

  it("goes on when the server's process is stopped", function()
    local worker = here:worker { args = { "--queue", "quick" } }
    here.db:complete "quick"
    local pid = here.db:number(WORK_BACKEND)
    process.send(pid, process.SIGSTOP)
    local from = wait.now()
    local run_id = here.db:start "quick"
    local ended, row = pcall(here.db.await_run, here.db, run_id, 35)
    local took = wait.now() - from
    local stays = #worker:log "old_connection_stays"
    process.send(pid, process.SIGCONT)
    assert.is_true(ended, row)
    assert.equal("completed", row.status)
    print(("# a stopped server process cost %.1f s"):format(took))
    assert.is_true(took < 28)
    assert.equal(1, stays)
    wait.till(function()
      return here.db:number(("select count(*) from pg_stat_activity where pid = %d"):format(pid)) == 0
    end, 20, "the old process to go")
    assert_quick()
    here:assert_consistent()
  end)

  it("runs at once what was claimed without an answer", function()
    between = proxy.open(here.db)
    local worker = here:worker { args = { "--queue", "load" }, database = between.conninfo }
    wait.pause(0.5) -- the first claim is answered, the next is due after 2 s
    between:tell("work", "swallow")
    local run_id = here.db:start("load", numbers(5))
    wait.till(function()
      return here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'started'" == 5
    end, 20, "the claim to commit")
    wait.pause(0.2)
    assert.equal(0, count_ran())
    local from = wait.now()
    between:tell("work", "cut")
    here.db:await_run(run_id, 20)
    assert.is_true(wait.now() - from < 10) -- recovery would take 30 s
    assert.equal(5, worker:await_log("reconciled").put_back)
    assert_ran_once(5)
    assert.equal(5, here.db:number "select count(*) from pgflow.step_tasks t where t.claim_no & 1048575 = 2")
  end)

  it("knows a completion again that has committed unseen", function()
    between = proxy.open(here.db)
    here:worker { args = { "--queue", "load" }, database = between.conninfo }
    for _ = 1, 5 do
      local run_id = here.db:start("load", numbers(20))
      wait.till(function() return count_ran() > 0 end, 20, "handlers to run")
      between:tell("work", "swallow")
      wait.pause(0.1)
      between:tell("work", "cut")
      assert.equal("completed", here.db:await_run(run_id, 10).status)
      files.remove(here.root:at "ran")
    end
    assert.equal(0, here.db:number "select count(*) from pgflow.step_tasks t where t.attempts_count <> 1")
    here:assert_consistent()
  end)

  it("records what ends while it is away during a drain", function()
    between = proxy.open(here.db)
    local worker = here:worker { args = { "--queue", "load" }, database = between.conninfo }
    local run_id = here.db:start("load", "[-1, -2, -3, -4, -5]")
    wait.till(function()
      return here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'started'" == 5
    end, 20, "handlers to run")
    between:tell("all", "refuse")
    between:tell("all", "cut")
    worker.process:signal(process.SIGTERM)
    wait.pause(2)
    assert.is_nil(worker.process:poll())
    between:tell("all", "accept")
    assert.same({ code = 0 }, worker.process:wait(20))
    assert.equal("completed", here.db:await_run(run_id, 1).status)
    assert_ran_once(5)
  end)

  it("ends its connections again and again under load", function()
    here:worker { args = { "--queue", "load", "--executors", "1", "--concurrency", "50" } }
    local run_id = here.db:start("load", numbers(1500))
    local cuts, until_ = 0, wait.now() + 8
    while wait.now() < until_ do
      here.db:end_sessions "a.application_name like 'luaflow worker%'"
      cuts = cuts + 1
      wait.pause(0.2)
    end
    assert.equal("completed", here.db:await_run(run_id, 30).status)
    print(("# %d times both connections were ended"):format(cuts))
    assert_ran_once(1500)
  end)

  it("takes no writes for a while", function()
    local worker = here:worker { args = { "--queue", "quick" } }
    local function set(value)
      here.db:text(("set default_transaction_read_only = off; alter database %s set default_transaction_read_only = %s")
        :format(here.db.name, value))
    end
    local run_id = here.db:start("quick", "1")
    here.db:await_run(run_id)
    set "on"
    here.db:end_sessions "a.application_name like 'luaflow worker%'"
    wait.pause(5)
    set "off"
    worker:await_log("transactions_work_again", 20)
    assert_quick()
    local told = {}
    for _, verb in ipairs { "transaction_failed", "heartbeat_failed" } do
      for _, line in ipairs(worker:log(verb)) do told[#told + 1] = line end
    end
    assert.is_true(#told >= 1 and #told <= 2, #told .. " lines")
    assert.truthy(told[1].hint:find("reset default_transaction_read_only", 1, true))
    here:assert_consistent()
  end)

  it("lets the worker's role lack a right for a while", function()
    here.db:text [[
      do $$ begin create role luaflow_spec_worker login; exception when duplicate_object then null; end $$;
      grant pgflow_worker to luaflow_spec_worker]]
    here:worker({ args = { "--queue", "pair_first" } }):stop()
    here.db:text "revoke execute on function pgflow.complete_tasks from pgflow_worker"
    local worker = here:worker {
      args = { "--queue", "load" }, database = here.db.conninfo .. " user=luaflow_spec_worker",
    }
    local run_id = here.db:start("load", numbers(3))
    local line = worker:await_log "transaction_failed"
    wait.pause(2)
    assert.same({ "42501", 1 }, { line.sqlstate, #worker:log "transaction_failed" })
    assert.truthy(line.hint:find "pgflow_worker")
    here.db:text "grant execute on function pgflow.complete_tasks to pgflow_worker"
    assert.equal("completed", here.db:await_run(run_id, 10).status)
    assert_ran_once(3)
  end)

  it("has a full disk for a while", function()
    local worker = here:worker { args = { "--queue", "load" } }
    local run_id = here.db:start("load", numbers(2000))
    wait.till(function() return count_ran() > 20 end, 10, "handlers to run")
    here.db:text [[
      create table spec_kept as select pg_get_functiondef('pgflow.lock_runs'::regproc) as definition;
      create or replace function pgflow.lock_runs(p_run_ids uuid[], p_claiming_queue text default null) returns void
      language plpgsql as $$ begin raise 'could not extend file' using errcode = 'disk_full'; end $$]]
    local line = worker:await_log "transaction_failed"
    assert.same({ "53100", true }, { line.sqlstate, line.hint:find "disk" ~= nil })
    wait.pause(2)
    assert.equal(1, #worker:log "transaction_failed")
    here.db:text [[do $$ begin execute (select definition from spec_kept); end $$]]
    assert.equal("completed", here.db:await_run(run_id, 30).status)
    assert_ran_once(2000)
  end)

  it("loses the next step's queue under load", function()
    local first = here:worker { args = { "--queue", "pair_first" } }
    local second = here:worker { args = { "--queue", "pair_second" } }
    here.db:start_all("pair", numbers(300)) -- fewer than a batch, above which results that are set aside stop claims
    wait.till(function() return count_ran() > 10 end, 10, "handlers to run")
    here.db:text "drop table pgmq.q_pair_second cascade"
    here.db:start_all("neighbour", numbers(50))
    for _, worker in ipairs { first, second } do
      local line = worker:await_log "transaction_failed"
      assert.equal("42P01", line.sqlstate)
      assert.truthy(line.hint)
    end
    wait.till(function() -- another flow of the same worker goes on
      return here.db:number "select count(*) from pgflow.runs r where r.flow_slug = 'neighbour' and r.status = 'completed'" == 50
    end, 30, "the neighbour's runs")
    here:worker { args = { "--queue", "pair_second" } }
    here.db:await_runs(30)
    assert.equal(350, here.db:number "select count(*) from pgflow.runs r where r.status = 'completed'")
    assert_ran_once(300)
  end)

  it("does not connect again and again when it finds a server that takes no writes", function()
    local function set(value)
      here.db:text(("set default_transaction_read_only = off; alter database %s set default_transaction_read_only = %s")
        :format(here.db.name, value))
    end
    set "on"
    local worker = here:launch { args = { "--queue", "quick" }, env = { LUAFLOW_LOG_LEVEL = "debug" } }
    worker:await_log("connected", 20)
    wait.pause(5)
    local connected = #worker:log "connected"
    set "off"
    worker:await_log("running", 20)
    assert.is_true(connected <= 16, connected .. " connections within 5 s")
    assert_quick()
  end)

  it("loses the partition of realtime's messages", function()
    here.db:text(REALTIME)
    here:worker { args = { "--queue", "load" } }
    local run_id = here.db:start("load", numbers(5))
    assert.equal("completed", here.db:await_run(run_id).status)
    assert_ran_once(5)
    local doctor = here:luaflow { "doctor" }
    assert.truthy(doctor.out:find "warning +events +events of runs could not be sent, last at .*no partition of relation \"messages\"",
      doctor.out)
    here.db:text "create table realtime.messages_default partition of realtime.messages default"
    files.remove(here.root:at "ran")
    here.db:await_run(here.db:start("load", numbers(1)))
    assert.equal("run:started,step:each:started,step:each:completed,run:completed",
      here.db:text "select string_agg(m.event, ',' order by m.ctid) from realtime.messages m")
  end)

  for _, sqlstate in ipairs { "22012", "23514", "54000", "P0001" } do
    it("has a trigger of somebody else's on its tables that raises " .. sqlstate, function()
      here.db:text(trigger("runs", "new.status = 'completed' and new.input = '[1]'",
        ("raise exception 'the audit is full' using errcode = '%s';"):format(sqlstate)))
      local worker = here:worker { args = { "--queue", "load" } }
      local run_id, other = here.db:start("load", "[1]"), here.db:start("load", "[2]")
      assert.equal("completed", here.db:await_run(other).status)
      assert.equal(sqlstate, worker:await_log("transaction_failed").sqlstate)
      wait.till(function()
        return here:succeed("workers"):find "  1 result not recorded: database: the audit is full\n"
      end, 10, "the trouble")
      local doctor = here:luaflow { "doctor" }
      assert.truthy(doctor.out:find "problem +workers +worker .* of queue load, since 20.*: 1 result not recorded: .* the audit is full",
        doctor.out)
      assert.equal("started", here.db:text("select r.status from pgflow.runs r where r.run_id = :'id'", { id = run_id }))
      here.db:text "drop trigger spec_audit on pgflow.runs"
      assert.equal("completed", here.db:await_run(run_id).status)
      assert_ran_once(2)
      wait.till(function() return not here:succeed("workers"):find "not recorded" end, 10, "the trouble to end")
      assert.same({}, worker:log "attempt_failed")
    end)
  end

  -- Each waits for the limits of the work connection, which are 15 s and more.
  local function it_long(name, body)
    if LONG then
      it(name, body)
    else
      pending(name .. " (set LUAFLOW_LONG_SPECS)")
    end
  end

  it_long("takes 16 s to record a result", function()
    here.db:text(trigger("step_tasks", "new.status = 'completed'", "perform pg_sleep(16);"))
    here:worker { args = { "--queue", "load" } }
    local run_id = here.db:start("load", numbers(4))
    assert.equal("completed", here.db:await_run(run_id, 300).status)
    assert_ran_once(4)
  end)

  it_long("takes 20 s to claim, and records meanwhile what has ended", function()
    here.db:text(trigger("step_tasks", "new.status = 'started' and new.task_index > 0", "perform pg_sleep(20);"))
    here:worker { args = { "--queue", "load", "--concurrency", "2" } }
    local from = wait.now()
    local run_id = here.db:start("load", "[-1]")
    wait.till(function()
      return here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'started'" == 1
    end, 20, "the first claim")
    local other = here.db:start("load", "[3,4]")
    assert.equal("completed", here.db:await_run(run_id, 60).status)
    assert.is_true(wait.now() - from < 40, ("recorded after %.1f s"):format(wait.now() - from))
    assert.equal("completed", here.db:await_run(other, 180).status)
    here:assert_consistent()
  end)

  describe("of its own server", function()
    local own

    setup(function() own = server.open() end)
    teardown(function() own:close() end)

    for _, mode in ipairs { "immediate", "fast" } do
      it("restarts under load: " .. mode, function()
        local there = scene.open({ ["flows/load.lua"] = LOAD }, own:database())
        local worker = there:worker { args = { "--executors", "1", "--concurrency", "50" } }
        finally(function() there:close() end)
        local run_id = there.db:start("load", numbers(1500))
        wait.till(function() return count_ran(there) > 300 end, 20, "handlers to run")
        own:stop(mode)
        own:start()
        local from = wait.now()
        assert.equal("completed", there.db:await_run(run_id, 40).status)
        print(("# done %.1f s after the restart"):format(wait.now() - from))
        assert_ran_once(1500, there)
        local reasons = {}
        for _, line in ipairs(worker:log "database_lost") do
          assert.is_nil(reasons[line.error], "told twice: " .. line.error)
          reasons[line.error] = true
        end
        assert.truthy(worker:log("database_lost")[1].hint)
      end)
    end

    it("has its handlers write where the worker's own connections are, after a failover to a copy", function()
      local db = own:database()
      db:text "create table public.spec_written (v text)"
      local twin = own:fork()
      local copy = twin:same(db)
      local there = scene.open({ ["flows/writes.lua"] = WRITES, ["flows/sleeps.lua"] = SLEEPS }, db)
      finally(function()
        there:close()
        twin:close()
      end)
      local function written(at) return at:text "select string_agg(w.v, ',' order by w.v) from public.spec_written w" end
      -- A fenced server is one that target_session_attrs passes over.
      local function fence(value)
        db:text("alter system set default_transaction_read_only = " .. value .. "; select pg_reload_conf()")
        wait.till(function() return db:text "show default_transaction_read_only" == value end, 10, "the setting")
      end
      local function asleep(at)
        return at:number "select count(*) from pg_stat_activity a where a.state = 'active' and a.query = 'select pg_sleep(60)'"
      end
      local hosts = ("host=%s,%s"):format(own.conninfo:match "host=(%S+)", twin.conninfo:match "host=(%S+)")
      local either = db.conninfo:gsub("host=%S+", hosts) .. " target_session_attrs=read-write"
      local function launch(database, ...)
        return worker_of.launch(copy, there.root, { args = { "--queue", "writes", "--executors", "1", ... }, database = database })
      end

      local other = launch(copy.conninfo, "--handler-database", either)
      local told = other:await_log "handler_database_not_reached"
      assert.truthy(told.error:find("another server", 1, true), told.error)
      assert.equal(0, #other:log "running")
      fence "on"
      other:await_log "handler_database_back"
      other:await_log "running"
      assert.same({ code = 0 }, other:stop())
      other.process:forget()

      local worker = launch(either)
      worker:await_log("running", 30)
      fence "off"
      local run_id = copy:start("writes", '"a"')
      local line = worker:await_log "handler_database_not_reached"
      assert.truthy(line.error:find("another server", 1, true), line.error)
      wait.pause(2)
      assert.same({ 1, "", "" }, { #worker:log "handler_database_not_reached", written(db), written(copy) })
      fence "on"
      assert.equal("completed", copy:await_run(run_id).status)
      assert.same({ "", "a,asked a" }, { written(db), written(copy) })

      copy:start "sleeps"
      wait.till(function() return asleep(copy) == 1 end, 20, "the statement to run")
      fence "off"
      copy:text "select pg_terminate_backend(a.pid) from pg_stat_activity a where a.application_name like 'luaflow worker%'"
      worker:await_log "worker_unknown" -- the old primary has no row of it
      wait.till(function() return asleep(copy) == 0 end, 10, "the statement on the server that was left to end")
      worker.process:kill()
      worker.process:forget()
    end)
  end)
end)
