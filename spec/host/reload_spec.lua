-- Generations: what a worker does when it is told to reload, by SIGHUP, under load, with modules that are broken in every way.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local LONG = os.getenv "LUAFLOW_LONG_SPECS" ~= nil

-- Its handlers note every attempt in a file, and wait for less than 0 seconds until there is a file `go`. The module parts.late is
-- first required when the handler has slept.
local WORK = [[
local luaflow = require "luaflow"
local version = require "parts.version"
local function note(ctx)
  local file = assert(io.open(os.getenv "SPEC_FOLDER" .. "/attempts", "a"))
  file:setvbuf "full"
  file:write(("%s %s %d\n"):format(ctx.run_id, ctx.step_slug, ctx.task_index))
  file:close()
end
return luaflow.flow { slug = "work", timeout = 60 }
  :array({ slug = "split" }, function(input, ctx)
    note(ctx)
    local parts = luaflow.array()
    for i = 1, input.parts or 2 do parts[i] = input.seconds or 0 end
    return parts
  end)
  :map({ slug = "part", array = "split" }, function(seconds, ctx)
    note(ctx)
    repeat ctx:sleep(seconds < 0 and 0.05 or seconds) until seconds >= 0 or io.open(os.getenv "SPEC_FOLDER" .. "/go")
    return { version = version, late = require "parts.late" }
  end)
]]

local EXTRA = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "extra" }:step({ slug = "only" }, function(input, ctx) return ctx.env.GREETING or "none" end)
]]

local MAIN = [[
local luaflow = require "luaflow"
return luaflow.worker { queue = "work", name = "workers", flows = {
  require "flows.work",
  luaflow.deploy(require "flows.extra", { alias = "extra_alias", routes = { only = "work" } }),
} }
]]

local function replace(from, to)
  return function(text)
    local changed, count = text:gsub(from, to)
    assert(count == 1, from)
    return changed
  end
end

local function prepend(line)
  return function(text) return line .. text end
end

-- What breaks a load or its deployment: the file that is changed, how (nil: it is removed), and what is said about it.
local BREAKS = {
  { "flows/work.lua", function(text) return text .. "\nend end" end, "flows/work.lua:22:" },
  { "parts/version.lua", prepend "local n = 1\nerror 'half-way'\n", "parts/version.lua:2:" },
  { "flows/extra.lua", replace('"only" }', '"only", timeuot = 1 }'), "flows/extra.lua:2: [unknown_option]" },
  { "flows/work.lua", replace('array = "split" }', 'array = "split", when_exhausted = "skip" }'), "shape_mismatch" },
  { "main.lua", replace('routes = { only = "work" }', "routes = {}"), "routing_mismatch" },
  { "main.lua", replace("luaflow.deploy[^\n]*\n", "\n"), "uncovered" },
  { "main.lua", replace('queue = "work"', 'queue = "extra"'), "queue" },
  { "parts/version.lua", prepend "require('ffi').cast('int *', 0)[0] = 1\n", "was killed by SIG" },
  { "flows/work.lua", replace("timeout = 60", "timeout = tonumber(io.open('/proc/self/stat'):read '*n')"), "different definitions" },
  { "parts/version.lua", nil, "parts.version" },
  { "handlers.env", function() return "not a line" end, "handlers.env:1:" },
}

describe("a reload", function()
  local here, host, version

  local function write_version(n)
    version = n
    here.root:write("parts/version.lua", "return " .. n)
    here.root:write("parts/late.lua", "return " .. n)
  end

  before_each(function()
    here = scene.open {
      ["flows/work.lua"] = WORK, ["flows/extra.lua"] = EXTRA, ["main.lua"] = MAIN, ["handlers.env"] = "GREETING=hello",
    }
    write_version(1)
  end)

  after_each(function() here:close() end)

  local function start(args)
    local all = { "--executors", "2", "--env-file", here.root:at "handlers.env" }
    for _, word in ipairs(args or {}) do all[#all + 1] = word end
    host = here:worker { paths = { "main.lua" }, args = all }
  end

  -- Sends SIGHUP and waits until the reload has been judged: the log's line about it, and whether it was accepted.
  local function reload(seconds)
    local accepted, refused = #host:log "reloaded", #host:log "reload_refused"
    host.process:signal(process.SIGHUP)
    return wait.till(function()
      local line = host:log "reloaded"[accepted + 1]
      if line then return { line = line, accepted = true } end
      line = host:log "reload_refused"[refused + 1]
      return line and { line = line, accepted = false }
    end, seconds or 20, "the reload to be judged")
  end

  local function accept()
    local judged = reload()
    assert.is_true(judged.accepted, judged.line.error)
    return judged.line
  end

  local function refuse(part)
    local judged = reload()
    assert.is_false(judged.accepted)
    assert.truthy(judged.line.error:find(part, 1, true), judged.line.error)
    return judged.line
  end

  local function row()
    return here.db:row "select w.generation, w.last_reload_error, w.worker_id from pgflow.workers w where w.stopped_at is null"
  end

  local function attempts()
    local count, most = {}, 0
    for _, line in ipairs(files.lines(here.root:at "attempts")) do
      count[line] = (count[line] or 0) + 1
      most = math.max(most, count[line])
    end
    return count, most
  end

  local function await_attempts(n)
    wait.till(function() return #files.lines(here.root:at "attempts") >= n end, 10, n .. " attempts to begin")
  end

  -- Both versions in each element of the run's output.
  local function versions(run)
    local all = {}
    for i, part in ipairs(run.output.part) do all[i] = part.version .. "/" .. part.late end
    return table.concat(all, " ")
  end

  -- Breaks a file, and returns what mends it.
  local function break_it(each)
    local text = files.read(here.root:at(each[1]))
    if each[2] then here.root:write(each[1], each[2](text)) else os.remove(here.root:at(each[1])) end
    return function() here.root:write(each[1], text) end
  end

  it("takes new code, options and variables, and says what has changed", function()
    start()
    assert.equal("1/1 1/1", versions(here.db:complete("work", "{}")))
    write_version(2)
    here.root:write("flows/extra.lua", (EXTRA:gsub('slug = "extra"', 'slug = "extra", timeout = 7')))
    here.root:write("handlers.env", "GREETING=good day")
    local line = accept()
    assert.equal(2, line.generation)
    assert.equal("flows/extra.lua changed; parts/late.lua changed; parts/version.lua changed; the environment file changed; "
      .. "extra: timeout 60 -> 7 s", line.changes)
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
    assert.equal("good day", here.db:complete("extra", "{}").output.only)
    assert.equal(7, here.db:number "select f.opt_timeout from pgflow.flows f where f.flow_slug = 'extra'")
    assert.equal(2, row().generation)
  end)

  it("finishes what runs with the code it has started with", function()
    start()
    local run_id = here.db:start("work", '{"seconds": -1}')
    await_attempts(3)
    write_version(2)
    accept()
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
    assert.equal("started", here.db:text("select r.status from pgflow.runs r where r.run_id = :'id'", { id = run_id }))
    here.root:write("go", "")
    assert.equal("1/1 1/1", versions(here.db:await_run(run_id)))
    assert.equal(1, select(2, attempts()))
  end)

  it("that is broken leaves the old generation serving, and changes nothing", function()
    start()
    for _, each in ipairs(BREAKS) do
      local before = here.db:definitions()
      local mend = break_it(each)
      local line = refuse(each[3])
      assert.equal(before, here.db:definitions())
      assert.equal(line.error, row().last_reload_error)
      assert.equal("1/1 1/1", versions(here.db:complete("work", "{}")))
      mend()
      accept()
      assert.equal(cjson.null, row().last_reload_error)
    end
    assert.equal("1/1 1/1", versions(here.db:complete("work", "{}")))
  end)

  it("is refused when its only executor dies as it loads", function()
    start { "--executors", "1", "--executor-memory", "64MB" }
    here.root:write("parts/version.lua", "require('ffi').cast('int *', 0)[0] = 1")
    for _ = 1, 2 do refuse "was killed by SIG" end
    here.root:write("parts/version.lua", "local t = {} for i = 1, 2000 do t[i] = ('x'):rep(1e6 - i) end return #t")
    refuse "used more than 64 MB (--executor-memory) while it loaded: it did not finish parts/version.lua (module parts.version)"
    assert.equal("1/1 1/1", versions(here.db:complete("work", "{}")))
    write_version(2)
    accept()
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
  end)

  it("replaces an executor that has crashed by its own generation's code", function()
    start { "--executors", "1" }
    write_version(2)
    for _, pid in ipairs(host.process:living()) do
      if pid ~= host.process.pid then process.send(pid, process.SIGKILL) end
    end
    host:await_log "executor_died"
    assert.equal("1/1 1/1", versions(here.db:complete("work", "{}")))
    accept()
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
  end)

  it("deploys nothing while the function is disabled, and says so", function()
    start()
    here.db:text "update pgflow.worker_functions set enabled = false"
    write_version(2)
    refuse "worker function workers is disabled"
    assert.equal("1/1 1/1", versions(here.db:complete("work", "{}")))
    here.db:text "update pgflow.worker_functions set enabled = true"
    host:await_log("reloaded", 10) -- by itself
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
  end)

  it("is refused to a worker that is deprecated, which drains", function()
    start()
    here.db:text "update pgflow.workers set deprecated_at = clock_timestamp()"
    write_version(2)
    host.process:signal(process.SIGHUP)
    assert.same({ code = 0 }, host.process:wait(15))
    assert.equal(0, #host:log "reloaded")
    assert.is_true(#host:log "reload_refused" > 0)
    assert.equal(1, here.db:number "select w.generation from pgflow.workers w")
  end)

  it("of a worker that is fenced is what it deploys in the end", function()
    here.db:text "insert into pgflow.worker_functions (function_name, enabled) values ('workers', false)"
    host = here:launch { paths = { "main.lua" }, args = { "--executors", "1" } }
    host:await_log "fenced"
    write_version(2)
    accept()
    here.db:text "update pgflow.worker_functions set enabled = true"
    host:await_log("running", 20)
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
  end)

  it("of a worker that is fenced takes over from executors that are all dead", function()
    here.db:text "insert into pgflow.worker_functions (function_name, enabled) values ('workers', false)"
    host = here:launch { paths = { "main.lua" }, args = { "--executors", "1" } }
    host:await_log "fenced"
    for deaths = 1, 2 do -- the third executor is due 2 s after the second death
      wait.till(function()
        for _, pid in ipairs(host.process:living()) do
          if pid ~= host.process.pid then process.send(pid, process.SIGKILL) end
        end
        return #host:log "executor_died" == deaths
      end, 5, "the executor to die", 0.2)
    end
    write_version(2)
    accept()
    here.db:text "update pgflow.worker_functions set enabled = true"
    host:await_log("running", 20)
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
  end)

  -- In other databases the relation may have the same id.
  local OF_DEPLOYMENTS = [[ from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.relation = 'pgflow.deployment_lock'::regclass and l.mode = 'ExclusiveLock' ]]

  local function deployment_locks(granted)
    return here.db:number("select count(*)" .. OF_DEPLOYMENTS .. "and l.granted = :granted", { granted = granted })
  end

  it("deploys nothing once the worker drains", function()
    start { "--executors", "1" }
    local run_id = here.db:start("work", '{"parts": 1, "seconds": 3}')
    await_attempts(2)
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-c", "begin; lock table pgflow.flows; select pg_sleep(2); commit" },
    }
    local function locks_of_flows(which)
      return here.db:number([[
        select count(*) from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.relation = 'pgflow.flows'::regclass and ]] .. which)
    end
    wait.till(function() return locks_of_flows "l.granted and l.mode = 'AccessExclusiveLock'" == 1 end, 20, "the lock")
    write_version(2)
    host.process:signal(process.SIGHUP)
    wait.till(function() return locks_of_flows "not l.granted" > 0 end, 20, "the deployment to be looked at")
    host.process:signal(process.SIGTERM)
    host:await_log "reload_refused"
    assert.same({ code = 0 }, host.process:wait(10))
    assert.same({ code = 0 }, holder:wait(5))
    holder:forget()
    assert.equal("1/1", versions(here.db:await_run(run_id)))
    assert.equal(1, here.db:number "select w.generation from pgflow.workers w")
  end)

  it("waits while the deployment lock is held for long, and the old generation claims", function()
    start()
    write_version(2)
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-c", "begin; select pgflow._lock_deployments(); select pg_sleep(600)" },
      name = "holder",
    }
    wait.till(function()
      return deployment_locks "true" > 0
    end, 20, "the lock to be held")
    host.process:signal(process.SIGHUP)
    local told = "could not lock the flows: another transaction deploys or changes some: process "
    assert.truthy(host:await_log("reload_waits", 20).error:find(told, 1, true))
    assert.equal("1/1 1/1", versions(here.db:complete("work", "{}")))
    here.db:end_sessions "a.wait_event = 'PgSleep'"
    host:await_log("reloaded", 30)
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
    holder:wait(10)
    holder:forget()
  end)

  it("is tried again by itself when the connection breaks while it deploys", function()
    start()
    write_version(2)
    local holder = process.spawn {
      argv = {
        "psql", "-X", "-q", "-d", here.db.conninfo, "-c", "begin; lock table pgflow.worker_handlers in share mode; select pg_sleep(60)",
      },
      name = "holder",
    }
    local function waiting()
      return here.db:number [[
        select coalesce(max(l.pid), 0) from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.relation = 'pgflow.worker_handlers'::regclass and not l.granted]]
    end
    wait.till(function()
      return here.db:sessions "a.wait_event = 'PgSleep'" > 0
    end, 20, "the lock")
    host.process:signal(process.SIGHUP)
    wait.till(function() return waiting() > 0 end, 20, "the deployment to wait for it", 0.01)
    here.db:text("select pg_terminate_backend(:pid)", { pid = waiting() })
    here.db:end_sessions "a.wait_event = 'PgSleep'"
    host:await_log "reload_refused"
    host:await_log("reloaded", 15)
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
    holder:wait(10)
    holder:forget()
  end)

  it("comes by itself in a development database when the queue holds unknown steps", function()
    here.db:text "update pgflow.settings set development = true"
    start()
    assert.equal(1, #host:log "development_database")
    here.root:write("other/sixth.lua", [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "sixth" }:step({ slug = "here" }, function() return 6 end):step({ slug = "there" }, function() return 7 end)
]])
    here.root:write("other.lua", [[
local luaflow = require "luaflow"
local sixth = luaflow.deploy(require "other.sixth", { routes = { here = "work" } })
return luaflow.worker { queue = "sixth", flows = { sixth } }
]])
    here:worker { paths = { "other.lua" }, args = { "--executors", "1" } }
    local run_id = here.db:start("sixth", "{}")
    host:await_log("unknown_steps", 10)
    wait.pause(2.5)
    assert.is_nil(host.process:poll())
    assert.same({ 1, 0 }, { #host:log "unknown_steps", #host:log "reloaded" })
    here.root:write("main.lua", (MAIN:gsub('require "flows.work",', [[require "flows.work",
  luaflow.deploy(require "other.sixth", { routes = { here = "work" } }),]])))
    assert.equal('{"here": 6, "there": 7}', here.db:await_run(run_id).output_text)
    assert.equal(1, here.db:number "select max(t.attempts_count) from pgflow.step_tasks t where t.flow_slug = 'sixth'")
  end)

  it("leaves a worker serving whose generation the database does not know", function()
    start()
    here.db:text "update pgflow.workers set generation = 77"
    host:await_log("stale_generation", 10)
    assert.equal("1/1 1/1", versions(here.db:complete("work", "{}")))
    assert.equal(2, row().generation)
  end)

  -- Each of the first generations holds a task for an hour: `luaflow workers` and doctor say so.
  local function assert_old_generations(count)
    wait.till(function() return here.db:number "select count(*) from pgflow.old_generations" == count end, 10, "the report")
    local told = cjson.decode((here:succeed("workers", "--json")))[1].old_generations
    for i, old in ipairs(told) do
      assert.same({ i, 1, 1, true }, { old.generation, old.tasks, old.executors, old.memory > 2 ^ 20 })
    end
    assert.equal(count, here.db:number [[
      select count(*) from pgflow.old_generations o
      where o.oldest_since between now() - interval '5 minutes' and now() and o.deadline - o.oldest_since between '3590 s' and '3610 s']])
    assert.truthy(here:succeed "workers":find("2: 1 task since [^;]- until [^;]-B; 3: 1 task"))
    assert.truthy(here:luaflow({ "doctor" }).out:find("generation 2 still holds 1 task, the oldest since "))
  end

  -- The seconds from the signal to the end of the first run that the code has served.
  local function serve_version(n)
    write_version(n)
    local from = wait.now()
    accept()
    assert.equal(("%d/%d %d/%d"):format(n, n, n, n), versions(here.db:complete("work", "{}")))
    return wait.now() - from
  end

  it("serves the newest code, a rollback too, whatever three old generations hold", function()
    here.root:write("flows/work.lua", (WORK:gsub("timeout = 60", "timeout = 3600")))
    start()
    local run_ids, took = {}, {}
    for n = 2, 4 do
      run_ids[#run_ids + 1] = here.db:start("work", '{"parts": 1, "seconds": -1}')
      await_attempts(2 * #run_ids)
      write_version(n)
      accept()
    end
    for i, n in ipairs { 1, 4, 1, 4, 1 } do took[i] = serve_version(n) end
    assert_old_generations(#run_ids)
    here.root:write("go", "")
    for i, run_id in ipairs(run_ids) do assert.equal(("%d/%d"):format(i, i), versions(here.db:await_run(run_id))) end
    wait.till(function() return #host.process:living() == 1 + 2 end, 10, "old executors to end")
    wait.till(function() return here.db:number "select count(*) from pgflow.old_generations" == 0 end, 10, "the report of it")
    local plain = serve_version(2)
    table.sort(took)
    assert.is_true(took[3] < math.max(1, 2 * plain),
      ("the median from the signal to the first run's end is %.2f s, and %.2f s where nothing is held"):format(took[3], plain))
    assert.equal(1, select(2, attempts()))
  end)

  it("takes each save in a development database, though tasks of all earlier generations go on", function()
    here.db:text "update pgflow.settings set development = true"
    start { "--watch" }
    for n = 1, 7 do
      write_version(n)
      wait.till(function() return versions(here.db:complete("work", "{}")) == ("%d/%d %d/%d"):format(n, n, n, n) end, 10, "save " .. n)
      here.db:start("work", '{"parts": 1, "seconds": -1}')
      wait.till(function()
        return here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'started'" == n
      end, 10, "its task")
    end
    here.root:write("go", "")
    here.db:await_runs()
    assert.equal(1, select(2, attempts()))
  end)

  -- Two aliases on one queue, with version 2 of both active, or of none.
  local function write_versions(second)
    here.root:write("main.lua", ([[
local luaflow = require "luaflow"
local flows = {}
for _, alias in ipairs { "orders", "bills" } do
  for n = 1, %d do
    local flow = luaflow.flow { slug = alias .. "_v" .. n }:step({ slug = "only" }, function() return n end)
    local deployed = luaflow.deploy(flow, { alias = alias, routes = { only = "work" } })
    flows[#flows + 1] = n < %d and luaflow.retain(deployed) or deployed
  end
end
return luaflow.worker { queue = "work", name = "workers", flows = flows }
]]):format(second and 2 or 1, second and 2 or 1))
  end

  -- A session that has started a run of orders and stays open: its process, and its process id on the server.
  local function hold_orders()
    here.root:write("hold.sql", "begin; select from pgflow.start_flow('orders', '{}'); select pg_sleep(600);")
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-f", here.root:at "hold.sql" }, env = { PGAPPNAME = "spec_shop" },
      name = "shop",
    }
    local pid = wait.till(function()
      return here.db:row [[select a.pid from pg_stat_activity a where a.datname = current_database() and
        a.application_name = 'spec_shop' and a.wait_event = 'PgSleep']]
    end, 20, "the session to hold its run").pid
    return holder, math.floor(pid)
  end

  local function let_go(holder, pid)
    here.db:text("select pg_terminate_backend(:pid)", { pid = pid })
    holder:wait(10)
    holder:forget()
  end

  -- Starts runs of bills for the time given: the milliseconds that each start took, and how often one was seen to wait for a lock.
  local function start_bills(seconds)
    here.db:text(([[
      drop table if exists public.took;
      create table public.took (ms float8, waits bigint);
      do $$
      declare
        v_from timestamptz;
        v_first timestamptz := clock_timestamp();
      begin
        while clock_timestamp() < v_first + interval '%g s' loop
          v_from := clock_timestamp();
          perform pgflow.start_flow('bills', '{}');
          insert into public.took values (1000 * extract(epoch from clock_timestamp() - v_from), (
            select count(*) from pg_locks l join pg_class c on c.oid = l.relation
            where not l.granted and c.relname like 'alias\\_lock\\_%%'
              and l.database = (select d.oid from pg_database d where d.datname = current_database())
          ));
          commit;
          perform pg_sleep(0.01);
        end loop;
      end $$]]):format(seconds))
    return here.db:row [[
      select percentile_cont(0.5) within group (order by t.ms) as median, percentile_cont(0.99) within group (order by t.ms) as most,
        sum(t.waits) as waits from public.took t]]
  end

  it("is held off by a client's open transaction, and disturbs neither claims nor starts meanwhile", function()
    write_versions(false)
    start { "--executors", "1" }
    local before = start_bills(1)
    local holder, pid = hold_orders()
    write_versions(true)
    host.process:signal(process.SIGHUP)
    local waits = host:await_log "reload_waits"
    -- The lock of bills is held at the moments of its starts.
    local told = (
      "could not lock aliases [bils, ]*orders: open transactions have called start_flow: process %d %%(spec_shop, role "):format(pid)
    assert.truthy(waits.error:find(told), waits.error)
    assert.truthy(waits.error:find(", since ", 1, true), waits.error)

    local starts = start_bills(3)
    assert.is_true(starts.waits == 0, starts.waits .. " waits for a lock")
    assert.is_true(starts.median < math.max(20, 4 * before.median) and starts.most < math.max(250, 4 * before.most),
      ("starts took %.1f ms, 99 of 100 at most %.1f ms; before %.1f and %.1f ms"):format(
        starts.median, starts.most, before.median, before.most))
    wait.till(function() return here.db:number "select count(*) from pgflow.runs r where r.status = 'started'" == 0 end, 20, "the runs")
    local pause = here.db:number [[
      select max(extract(epoch from n.next - n.started_at)) from (
        select t.started_at, lead(t.started_at) over (order by t.started_at) as next from pgflow.step_tasks t
        where t.flow_slug = 'bills_v1' and t.started_at > (select min(w.since) from pgflow.worker_troubles w)
      ) n]]
    assert.is_true(pause < 1.5, ("claims paused for %.1f s"):format(pause))
    assert.equal(0, here.db:number "select count(*) from pgflow.flows f where f.flow_slug like '%v2'")
    assert.equal(1, #host:log "reload_waits")
    assert.same({}, host:log "reload_refused")
    local trouble = cjson.decode((here:succeed("workers", "--json")))[1].troubles[1]
    assert.truthy(trouble.trouble == "deployment" and trouble.message:find(told), trouble.message)
    assert.truthy(here:luaflow({ "doctor" }).out:find(told))

    let_go(holder, pid)
    host:await_log("reloaded", 10)
    assert.equal(2, here.db:complete("orders", "{}").output.only)
    wait.till(function() return #cjson.decode((here:succeed("workers", "--json")))[1].troubles == 0 end, 10, "the trouble to be over")
  end)

  it("and a restart that change no definition need no lock of an alias", function()
    write_versions(true)
    start { "--executors", "1" }
    local holder, pid = hold_orders()
    here.root:write("parts/other.lua", "return 1")
    accept()
    host.process:signal(process.SIGKILL)
    host.process:wait(10)
    host.process:forget()
    table.remove(here.workers)
    start { "--executors", "1" }
    assert.same({}, host:log "deployment_failed")
    assert.equal(2, here.db:complete("bills", "{}", 60).output.only)
    let_go(holder, pid)
  end)

  it("that waits is given up for one that can be deployed", function()
    write_versions(false)
    start { "--executors", "1" }
    local holder, pid = hold_orders()
    write_versions(true)
    host.process:signal(process.SIGHUP)
    host:await_log "reload_waits"
    write_versions(false)
    accept()
    assert.equal(0, here.db:number "select count(*) from pgflow.flows f where f.flow_slug like '%v2'")
    assert.equal(1, host:log "reloaded"[1].generation - 1)
    host:stop()
    write_versions(true)
    local waiting = here:launch { paths = { "main.lua" }, args = { "--executors", "1" } }
    assert.truthy(waiting:await_log("deployment_failed", 20).error:find("start_flow: process " .. pid, 1, true))
    let_go(holder, pid)
    waiting:await_log("running", 10)
  end)

  it("gives up a load that drags on when the files have changed since", function()
    start()
    here.root:write("parts/version.lua", "while true do end")
    host.process:signal(process.SIGHUP)
    wait.pause(0.3)
    write_version(2)
    host.process:signal(process.SIGHUP)
    host:await_log("reloaded", 15)
    assert.equal(1, #host:log "load_given_up")
    assert.equal("2/2 2/2", versions(here.db:complete("work", "{}")))
  end)

  for _, seconds in ipairs { 0, 0.02, 0.05 } do
    it(("ends with the worker that is told to stop %g s later"):format(seconds), function()
      start()
      local run_id = here.db:start("work", '{"seconds": 1}')
      await_attempts(3)
      write_version(2)
      host.process:signal(process.SIGHUP)
      wait.pause(seconds)
      host.process:signal(process.SIGTERM)
      assert.same({ code = 0 }, host.process:wait(10))
      host.process:assert_gone()
      assert.equal("1/1 1/1", versions(here.db:await_run(run_id)))
      assert.equal(1, select(2, attempts()))
    end)
  end

  local function resident_kb()
    return tonumber(files.read(("/proc/%d/status"):format(host.process.pid)):match "VmRSS:%s*(%d+)")
  end

  -- A client that starts runs until it is told to end by what this returns.
  local function start_client()
    here.root:write("client.sql", [[
      do $$
      begin
        for i in 1 .. 100000 loop
          perform pgflow.start_flow('work', jsonb_build_object('parts', 3, 'seconds', case i % 40 when 0 then 1.5 else 0.02 end));
          commit;
          exit when to_regclass('public.enough') is not null;
          perform pg_sleep(0.05);
        end loop;
      end $$;]])
    local client = process.spawn {
      argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", here.db.conninfo, "-f", here.root:at "client.sql" }, name = "client",
    }
    return function()
      here.db:text "create table public.enough ()"
      assert.same({ code = 0 }, client:wait(20), client:errors())
      client:forget()
    end
  end

  it(LONG and "200 times under load loses nothing" or "40 times under load loses nothing", function()
    start { "--concurrency", "40" }
    local stop_client = start_client()
    local most_old, most_processes, early_kb, broken = 0, 0, nil, 0
    for n = 1, LONG and 200 or 40 do
      if n % 10 == 0 then
        broken = broken + 1
        local each = BREAKS[(broken - 1) % #BREAKS + 1]
        local mend = break_it(each)
        refuse(each[3])
        mend()
      else
        write_version(version + 1)
        accept()
      end
      host.process:signal(process.SIGUSR1)
      most_processes = math.max(most_processes, #host.process:living())
      if n == 20 then early_kb = resident_kb() end
    end
    local late_kb = resident_kb()
    stop_client()
    here.db:await_runs(30)
    for _, line in ipairs(host:log "summary") do most_old = math.max(most_old, line.old_generations) end
    -- Each old generation has a task, and those of 1.5 s start every 2 s.
    assert.is_true(most_old <= 40, most_old .. " old generations")
    assert.is_true(most_processes <= 1 + 2 * 2 + 40, most_processes .. " processes")
    local room_kb = os.getenv "ASAN_OPTIONS" and 65536 or 4096 -- the sanitizer keeps what was freed
    assert.is_true(late_kb - early_kb < room_kb, ("host's memory: %d kB, then %d kB"):format(early_kb, late_kb))

    local runs = here.db:number "select count(*) from pgflow.runs"
    assert.equal(runs, here.db:number "select count(*) from pgflow.runs r where r.status = 'completed'")
    assert.equal(4 * runs, here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'completed' and t.attempts_count = 1")
    local count, most = attempts()
    local tasks = 0
    for _ in pairs(count) do tasks = tasks + 1 end
    assert.same({ 4 * runs, 1 }, { tasks, most })
    assert.equal(0, here.db:number [[
      select count(*) from pgflow.step_tasks t where t.step_slug = 'part' and t.output ->> 'version' <> t.output ->> 'late']])
    assert.equal(tostring(version), here.db:text(
      "select max((t.output ->> 'version')::int) from pgflow.step_tasks t where t.step_slug = 'part'"))
    print(("# %d runs; host %d kB, then %d kB; at most %d old generations, %d processes"):format(
      runs, early_kb, late_kb, most_old, most_processes))
    here:assert_consistent()
  end)
end)
