-- States that last, each made real: `luaflow doctor` names it with what to do, for people and programs, `luaflow workers` shows what is of
-- a worker, and neither says anything once it is over.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local LONG = os.getenv "LUAFLOW_LONG_SPECS"

local FLOW = [[
local luaflow = require "luaflow"
local ffi = require "ffi"
ffi.cdef "void _exit(int code);"
local broken = io.open((os.getenv "SPEC_FOLDER") .. "/broken")
if broken then ffi.C._exit(7) end
local acts = {
  sleep = function(ctx) ctx:sleep(60) end,
  query = function(ctx) ctx:query "select pg_sleep(60)" end,
  die = function() ffi.C._exit(3) end,
  done = function() end,
}
return luaflow.flow { slug = "sick", max_attempts = 1, timeout = 100 }:step({ slug = "only" }, function(input, ctx) acts[input](ctx) end)
]]

describe("luaflow doctor, of a state that lasts,", function()
  local here

  before_each(function() here = scene.open { ["flows/sick.lua"] = FLOW } end)
  after_each(function() here:close() end)

  -- What it says in its check: found as JSON, and in the text.
  local function find(check, message)
    local result = here:luaflow { "doctor", "--json" }
    for _, finding in ipairs(cjson.decode(result.out)) do
      if finding.check == check and finding.message:find(message) then return finding, result.code end
    end
  end

  -- That finding is made within the limit, with this level and hint.
  local function assert_named(check, level, message, hint, seconds)
    local found, code = nil, nil
    wait.till(function()
      found, code = find(check, message)
      return found
    end, seconds or 30, "doctor to say " .. message, 0.5)
    assert.same({ level, level == "problem" and 1 or 0 }, { found.level, code }, found.message)
    assert.truthy(found.hint:find(hint, 1, true), found.hint)
    local text, said = here:luaflow({ "doctor" }).out, false
    for line in text:gmatch "[^\n]+" do
      local words = line:match("^" .. level .. " +" .. check .. " +(.*)$")
      said = said or words and words:find(message)
    end
    assert.truthy(said, text)
    assert.is_nil(text:lower():find("bug", 1, true), text)
  end

  local function assert_over(check, seconds)
    wait.till(function()
      local found = find(check, "")
      return found.level == "ok"
    end, seconds or 30, check .. " to be well", 0.5)
  end

  -- Waits for the trouble of a worker: the list of workers has it for people, and by its name for programs.
  local function assert_listed(trouble, words)
    local text = here:succeed "workers"
    assert.truthy(text:find(words), text)
    local troubles = cjson.decode((here:succeed("workers", "--json")))[1].troubles
    for _, each in ipairs(troubles) do
      if each.trouble == trouble then
        assert.truthy(each.since:find "^20")
        return
      end
    end
    error("no " .. trouble .. " in " .. cjson.encode(troubles))
  end

  -- A session of psql that has run this and stays, until the function that is returned is called.
  local function hold(sql)
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", here.db.conninfo .. " application_name=forgetful",
        "-c", "begin", "-c", sql, "-c", "select pg_sleep(300)" }, name = "psql",
    }
    local function release()
      if holder then
        here.db:end_sessions "a.application_name = 'forgetful'"
        holder:wait(20)
        holder:forget()
        holder = nil
      end
    end
    finally(release)
    wait.till(function()
      return here.db:sessions "a.application_name = 'forgetful' and a.query like 'select pg_sleep%'" > 0
    end, 30, "psql to have run " .. sql)
    return release
  end

  describe("locks:", function()
    it("names the session that started a run and stays open, and who waits for it", function()
      here:worker { args = { "--executors", "1" } }
      here.db:text "select pgflow.create_flow('other')"
      assert_over "locks"
      local release = hold "select pgflow.start_flow('sick', '\"done\"')"
      assert_named("locks", "warning", "^process %d+ %(forgetful, role %S+%) has held the lock of alias sick since 20%d%d%S+ %S+$",
        "its open transaction has called start_flow, so workers cannot deploy: commit its transaction, or end it: select ")
      local lock = here.db:text "select pgflow._alias_lock('sick')"
      local deployer = process.spawn {
        argv = { "psql", "-X", "-q", here.db.conninfo, "-c", "begin", "-c", ("lock table pgflow.%s in exclusive mode"):format(lock) },
        name = "psql",
      }
      assert_named("locks", "problem", "has held the lock of alias sick since 20%S+ %S+; sessions that wait for it: 1$",
        "pg_terminate_backend")
      release()
      deployer:wait(20)
      deployer:forget()
      assert_over "locks"
    end)

    it("names the session that blocks the heartbeats of workers, and asks for no other worker", function()
      here:worker { args = { "--executors", "1" } }
      local release = hold [[
        update pgflow.workers set last_heartbeat_at = now() - interval '1 minute'; commit; begin; select from pgflow.workers for update]]
      assert_named("locks", "problem", "^process %d+ %(forgetful, role %S+%) blocks sessions of workers since 20.*: luaflow worker sick$",
        "its open transaction has locks that they wait for: commit it, or end it: select pg_terminate_backend(")
      assert_named("queues", "problem", "^queue sick has no live worker; .*; the sessions of its workers wait for process %d+ %(forgetful",
        "its open transaction has locks that they wait for: commit it, or end it: select pg_terminate_backend(")
      release()
      assert_over "locks"
    end)

    it("names a deployment that is stuck, to a reader too", function()
      here.db:text "do $$ begin create role spec_reader login in role pgflow_reader; exception when duplicate_object then null; end $$"
      here.db:text "select pgflow.create_flow('stuck')"
      hold "select pgflow.retire_alias('stuck')"
      assert_named("locks", "warning", "^process %d+ %(forgetful, role %S+%) has held the lock of alias stuck since 20",
        "it deploys or changes flows, so no run can start")
      local result = here:luaflow { "doctor", "--database", here.db.conninfo .. " user=spec_reader" }
      assert.truthy(result.out:find "warning +locks +process %d+ %(forgetful, role %S+%) has held", result.out)
    end)
  end)

  describe("workers:", function()
    it("names results that take longer than is waited for, and a slow trigger that is gone", function()
      here.db:text [[
        create function public.slow() returns trigger language plpgsql as $$ begin perform pg_sleep(100); return new; end $$;
        create trigger slow before update on pgflow.runs for each row execute function public.slow()]]
      here:worker { args = { "--executors", "1" } }
      local run_id = here.db:start("sick", '"done"')
      assert_named("workers", "problem", "^worker %S+ of queue sick, since 20.*: 1 result not recorded: database: no answer within 15 s$",
        "look for slow triggers on tables of schema pgflow", 60)
      assert_listed("unrecorded", "1 result not recorded: database: no answer within 15 s")
      here.db:text "drop trigger slow on pgflow.runs"
      assert.equal("completed", here.db:await_run(run_id, 60).status)
      assert_over "workers"
    end)

    it("names claims that wait for a lock, with the server's words", function()
      here:worker({ args = { "--executors", "1" } }):stop()
      local run_id = here.db:start("sick", '"done"')
      local release = hold "lock table pgflow.step_tasks in share mode"
      here:worker { args = { "--executors", "1" } }
      assert_named("workers", "problem", "^worker %S+ of queue sick, since 20.*: claims fail: database: canceling .* lock timeout",
        "its open transaction has locks that they wait for: commit it, or end it: select pg_terminate_backend(", 60)
      local held, trouble = find("locks", "has locked table pgflow.step_tasks"), find("workers", "claims fail")
      assert.truthy(trouble.hint:find("process " .. held.message:match "^process (%d+)" .. " (forgetful", 1, true), trouble.hint)
      assert.truthy(held.message:find "since 20%S+ %S+%) has locked table pgflow.step_tasks; sessions wait for it$"
        or held.message:find "since 20%S+ %S+%) has locked table pgflow.step_tasks$", held.message)
      assert_listed("claim", "claims fail: database: canceling statement due to lock timeout")
      release()
      assert.equal("completed", here.db:await_run(run_id, 60).status)
      assert_over "workers"
    end)

    it("names handlers that wait for a connection, and few descriptors", function()
      local few = here.root:at "few-files"
      files.write(few, ("#!/bin/sh\nulimit -n 50\nexec %s \"$@\"\n"):format(process.luaflow()))
      os.execute("chmod 755 " .. few)
      local worker = here:worker {
        program = few, args = { "--executors", "1", "--concurrency", "10", "--handler-connections", "1", "--grace", "0s" },
      }
      assert_named("workers", "warning", "^worker %S+ of queue sick, since 20.*: the limit of open files is 50, and %d+ are needed",
        "LimitNOFILE")
      assert.equal(1, #worker:log "few_descriptors")
      here.db:start_all("sick", '["query", "query", "query"]')
      assert_named("workers", "warning", "handlers that wait for a connection to the database: 2; all 1 %(%-%-handler.* in use$",
        "raise --handler-connections")
      assert_listed("connections", "handlers that wait for a connection to the database: 2; ")
      here.db:text "select pgflow.cancel_run(r.run_id) from pgflow.runs r"
      wait.till(function() return not here:succeed("workers"):find "handlers that wait" end, 30, "nobody to wait")
    end)

    it("names executors that keep ending, in their tasks and as they load", function()
      local worker = here:worker { args = { "--executors", "1" } }
      here.db:start_all("sick", '["die", "die", "die"]')
      here.db:await_runs()
      assert_named("workers", "problem", "^worker %S+ of queue sick, since 20.*: executors keep ending, 3 .*: exited with code 3$",
        "its log has the tasks")
      files.write(here.root:at "broken", "")
      here.db:start("sick", '"die"')
      assert_named("workers", "problem", "executors keep ending, %d+ so far; the last: exited with code 7 while it loaded the modules$",
        "correct the handlers or the modules")
      assert_listed("executors", "executors keep ending")
      files.remove(here.root:at "broken")
      assert.equal("completed", here.db:await_run(here.db:start("sick", '"done"'), 60).status)
      if LONG then assert_over("workers", 90) end
      worker:stop()
    end)
  end)

  it("names the limit by which the server refuses connections of handlers", function()
    here.db:text [[
      do $$ begin create role spec_narrow login connection limit 0; exception when duplicate_object then null; end $$]]
    here:worker { args = { "--executors", "1", "--grace", "0s", "--handler-database", here.db.conninfo .. " user=spec_narrow" } }
    here.db:start("sick", '"query"')
    assert_named("workers", "warning", 'too many connections for role "spec_narrow"', "or the limit of the role or database")
    here.db:text "select pgflow.cancel_run(r.run_id) from pgflow.runs r"
  end)

  it("names the timeout of another role, which handlers would have", function()
    here.db:text [[
      do $$ begin create role spec_hasty login in role pgflow_worker; exception when duplicate_object then null; end $$;
      do $$ begin execute format('alter role spec_hasty in database %I set statement_timeout = ''5s''', current_database()); end $$]]
    assert_named("settings", "warning", "^role spec_hasty has statement_timeout=5s: it ends statements of handlers",
      "alter role spec_hasty set statement_timeout = 0")
    here.db:text [[
      do $$ begin
        execute format('alter role spec_hasty in database %I set idle_in_transaction_session_timeout = 700', current_database());
      end $$]]
    assert_named("settings", "warning", "^role spec_hasty has idle_in_transaction_session_timeout=700: it ends transactional steps",
      "alter role spec_hasty set idle_in_transaction_session_timeout = 0")
    here.db:text "do $$ begin execute format('alter role spec_hasty in database %I reset all', current_database()); end $$"
    assert.is_nil(find("settings", "spec_hasty"))
  end)

  it("names a purged queue and foreign messages for what they are", function()
    local worker = here:worker { args = { "--executors", "1", "--concurrency", "2", "--grace", "0s" } }
    here.db:start_all("sick", '["sleep", "sleep", "done", "done", "done"]')
    local started = "select count(*) from pgflow.step_tasks where status = 'started'"
    wait.till(function() return here.db:number(started) == 2 end, 20, "two to start")
    worker.process:signal(process.SIGSTOP)
    here.db:text [[
      select pgmq.purge_queue('sick');
      select count(*) from pgmq.send_batch('sick', (select array_agg('{}'::jsonb) from generate_series(1, 100000)))]]
    assert_named("invariants", "warning", "^queue sick: tasks without a message: 5; the queue was purged, or messages were deleted",
      "a worker of the queue sends them again: it begins within 10 s", 1)
    assert_named("invariants", "warning", "^queue sick: messages that belong to no task: 100000$",
      "a worker archives them when they are 60 s old", 1)
    here.db:text "delete from pgmq.q_sick where message = '{}'"
    worker.process:signal(process.SIGCONT)
    assert_over("invariants", 40)
    here:stop_workers()
    here.db:text "select pgmq.purge_queue('sick'); update pgflow.workers set stopped_at = now()"
    assert_named("invariants", "problem", "^queue sick: tasks without a message: %d; the queue was purged",
      "luaflow worker --queue sick PATH", 1)
  end)
end)
