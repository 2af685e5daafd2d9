-- `luaflow doctor`: everything that it can find is made to happen, and it says so and what to do.
local cjson = require "cjson"
local database = require "spec.support.database"
local files = require "spec.support.files"
local pooler = require "spec.support.pooler"
local scene = require "spec.support.scene"
local server = require "spec.support.server"
local wait = require "spec.support.wait"

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "sick", timeout = 100 }:step({ slug = "only" }, function(_, ctx)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/begun", "w")
  file:close()
  ctx:sleep(60)
end)
]]

local CHECKS = {
  "database",
  "server", "pgmq", "schema", "session", "rights", "owner", "settings", "disk", "queues", "workers", "locks", "clock",
  "functions", "events", "invariants",
}

describe("luaflow doctor", function()
  local here

  before_each(function() here = scene.open { ["flows/sick.lua"] = FLOW } end)
  after_each(function() here:close() end)

  local function start_worker()
    return here:worker { args = { "--executors", "1", "--grace", "1s" } }
  end

  local function examine(...)
    local result = here:luaflow { "doctor", ... }
    assert.equal("", result.err)
    return result
  end

  -- The findings of a check, and that the exit code is this one.
  local function findings(check, code, ...)
    local result = examine("--json", ...)
    local list = {}
    for _, finding in ipairs(cjson.decode(result.out)) do
      if finding.check == check then list[#list + 1] = finding end
    end
    assert.equal(code, result.code, result.out)
    return list
  end

  -- The one finding of a check is of that level and says this, with a hint that says that.
  local function assert_found(check, code, level, message, hint, ...)
    local found = findings(check, code, ...)
    assert.equal(1, #found, cjson.encode(found))
    assert.equal(level, found[1].level, found[1].message)
    assert.truthy(found[1].message:find(message), found[1].message)
    assert.truthy(hint == nil and found[1].hint == cjson.null or found[1].hint:find(hint, 1, true), tostring(found[1].hint))
  end

  -- The server of the specs may have settings that no other should have.
  describe("on a server of its own", function()
    local own, shared

    setup(function() own = server.open() end)
    teardown(function() own:close() end)

    before_each(function()
      shared, here.db = here.db, own:database()
    end)

    after_each(function()
      here:stop_workers()
      here.db = shared
    end)

    it("finds nothing where all is well", function()
      start_worker()
      local result = examine()
      assert.equal(0, result.code, result.out)
      local checks = {}
      for line in result.out:gmatch "[^\n]+" do
        assert.truthy(line:find "^ok       %l+  +%S", line)
        checks[#checks + 1] = line:match "^ok +(%l+)"
      end
      assert.same(CHECKS, checks)
      local list = cjson.decode(examine("--json").out)
      assert.same(#CHECKS, #list)
      for i, finding in ipairs(list) do assert.same({ CHECKS[i], "ok", cjson.null }, { finding.check, finding.level, finding.hint }) end
    end)

    it("finds settings that cost data or time", function()
      here.db:text((([[
        alter database %s set synchronous_commit = off;
        alter database %s set statement_timeout = '5s';
        alter database %s set lock_timeout = '5s';
        alter database %s set idle_session_timeout = '5s';
        alter database %s set idle_in_transaction_session_timeout = '6s']]):gsub("%%s", here.db.name)))
      local found = findings("settings", 0)
      local said = {}
      for i, finding in ipairs(found) do
        assert.equal("warning", finding.level)
        said[i] = finding.message:match "^[%w_]+ is %w+"
      end
      table.sort(said)
      assert.same({ "idle_in_transaction_session_timeout is 6000ms", "statement_timeout is 5000ms", "synchronous_commit is off" }, said)
      here.db:text(("alter database %s set default_transaction_read_only = on"):format(here.db.name))
      assert.equal("transactions are read-only by default", findings("server", 6)[2].message)
    end)
  end)

  it("finds a missing, foreign, old or too new schema", function()
    local empty = database.create()
    finally(function() empty:drop() end)
    local at = { "--database", empty.conninfo }
    assert_found("schema", 6, "problem", "has no luaflow schema", "luaflow migrate installs it", unpack(at))
    assert_found("pgmq", 6, "problem", "PGMQ is not installed", "luaflow migrate", unpack(at))
    assert.same({}, findings("invariants", 6, unpack(at)))
    empty:text "create schema pgflow"
    assert_found("schema", 6, "problem", "was not created by luaflow", "nothing was changed", unpack(at))

    here.db:text "insert into pgflow.migrations values (9999, 'later', 'x', '0.0.1')"
    assert_found("schema", 0, "ok", "version 9999")
    here.db:text "update pgflow.migrations set oldest_program = '99.0.0' where version = 9999"
    assert_found("schema", 6, "problem", "the database is at version 9999", "use the newer luaflow")
    here.db:text "delete from pgflow.migrations where version > 1"
    assert_found("schema", 6, "problem", "the database is at version 1, but luaflow %S+ needs", "luaflow migrate upgrades it")
  end)

  it("cannot do anything without a database", function()
    local result = here:luaflow { "doctor", "--database", "host=/nowhere/at/all" }
    assert.same({ 6, "" }, { result.code, result.out })
    assert.truthy(result.err:find("luaflow: database: ", 1, true), result.err)
  end)

  it("finds missing rights", function()
    for name, group in pairs {
      spec_nobody = "", spec_starter = "in role pgflow_starter", spec_operator = "in role pgflow_operator",
      spec_handler = "in role pgflow_handler",
    } do
      here.db:text(([[do $$ begin create role %s login %s; exception when duplicate_object then null; end $$]]):format(name, group))
    end
    local as = function(role) return "--database", here.db.conninfo .. (" options='-c role=%s'"):format(role) end
    local nobody = findings("rights", 1, as "spec_nobody")[1]
    assert.equal("role spec_nobody has no rights on the schema", nobody.message)
    assert.truthy(nobody.hint:find("grant pgflow_worker to spec_nobody", 1, true))
    assert_found("rights", 0, "ok", "^role spec_operator can: read, operate$", nil, as "spec_operator")
    for role, may in pairs { spec_starter = "start runs", spec_handler = "complete transactional steps" } do
      local seen = findings("rights", 1, as(role))
      assert.same({ "ok", ("role %s can: %s"):format(role, may) }, { seen[1].level, seen[1].message })
      assert.same({ "problem", "not checked, because this role has no right to look: schema, owner, disk, queues, workers, locks, clock, "
        .. "functions, events, invariants" }, { seen[2].level, seen[2].message })
      assert.equal("connect as the owner of the schema or as a member of pgflow_reader", seen[2].hint)
    end

    here.db:text "select pgflow.create_flow('idle'); do $$ begin create role spec_other; exception when duplicate_object then null; end $$"
    here.db:text "alter schema pgflow owner to spec_other"
    local found = findings("owner", 1)
    assert.equal("role spec_other, which owns the functions, has no right to use schema pgmq", found[1].message)
    assert.equal("have a superuser run, in this database: grant usage, create on schema pgmq to spec_other; "
      .. "grant all on all tables in schema pgmq to spec_other", found[1].hint)
    assert.truthy(found[2].message:find("has no right to use table pgmq.", 1, true))
    for grants, lacked in pairs {
      ["grant usage on schema pgmq to spec_other"] = "create queues in schema pgmq",
      ["grant usage, create on schema pgmq to spec_other"] = "use table pgmq.meta",
    } do
      here.db:text("revoke all on schema pgmq from spec_other; " .. grants)
      assert.equal("role spec_other, which owns the functions, has no right to " .. lacked, findings("owner", 1)[1].message)
    end
    here.db:text(found[1].hint:match ": (grant.*)$")
    assert.is_nil(findings("owner", 1)[1].message:find("pgmq", 1, true))
    here.db:text "revoke all on schema pgmq from spec_other; alter schema pgflow owner to current_user"
  end)

  it("finds that realtime.send is not trusted", function()
    here.db:text [[
      do $$ begin create role spec_other; exception when duplicate_object then null; end $$;
      create schema realtime;
      create function realtime.send(payload jsonb, event text, topic text, private boolean) returns void language sql as '';
      alter function realtime.send owner to spec_other]]
    local me = here.db:text "select current_user"
    assert_found("owner", 0, "warning", "no events are sent: realtime.send belongs to role spec_other and its schema to " .. me,
      ("update pgflow.settings set trusted_roles = '{spec_other,%s}'"):format(me))
    here.db:text "update pgflow.settings set trusted_roles = '{spec_other}'"
    assert_found("owner", 0, "ok", "owns the functions")
  end)

  it("finds queues without workers, uncovered steps and lost tables", function()
    here.db:text "select pgflow.create_flow('idle'); select pgflow.add_step('idle', 'step')"
    assert_found("queues", 0, "ok", "1 queue, 0 messages")
    here.db:start "idle"
    assert_found("queues", 0, "warning", "queue idle holds 1 message and has no live worker", "luaflow worker --queue idle PATH")
    here.db:text "update pgmq.q_idle set enqueued_at = enqueued_at - interval '2 minutes'"
    assert_found("queues", 1, "problem", "queue idle holds 1 message and has no live worker", "luaflow worker --queue idle PATH")
    here.db:text "select pgflow.cancel_run(r.run_id) from pgflow.runs r"

    start_worker()
    here.db:text "delete from pgflow.worker_handlers"
    assert_found("queues", 1, "problem", "worker %S+ of queue sick %(function sick%) does not handle sick%.only", "restart it")
    here.db:text "select pgmq.drop_queue('idle')"
    local found = findings("queues", 1)
    assert.equal("queue idle has lost its table", found[1].message)
    assert.truthy(found[2].message:find "does not handle sick.only$")
    assert_found("invariants", 1, "ok", "consistent")
  end)

  -- Its temporary files are links to a disk that is always full, for all sessions to come.
  it("finds a full disk", function()
    local full = "spec_full_" .. here.db.name
    here.db:text("set allow_in_place_tablespaces = on; create tablespace " .. full .. " location ''")
    local db = database.create(("%s tablespace %s"):format(here.db.name, full))
    local function change_files(how)
      db:text([[
        select format('cd %s/pg_tblspc/%s/PG_%s*/pgsql_tmp && perl -e "%s for %s..%s"', current_setting('data_directory'), t.oid,
            current_setting('server_version_num')::int / 10000, :'how', pg_backend_pid(), pg_backend_pid() + 20000)
          as command from pg_tablespace t where t.spcname = :'full' \gset
        copy (select 1) to program :'command']], { full = full, how = how })
    end
    finally(function()
      change_files "unlink(glob(q(pgsql_tmp*)))"
      db:drop()
      here.db:text("drop tablespace " .. full)
    end)
    local at = { "--database", db.conninfo }
    assert_found("disk", 0, "ok", "^the disk of tablespace " .. full .. " has room$", nil, unpack(at))
    change_files "symlink(q(/dev/full), qq(pgsql_tmp\\$_.0)), symlink(q(/dev/full), qq(pgsql_tmp\\$_.1))"
    local said = "^the disk of tablespace " .. full .. " is full: .*No space left on device"
    assert_found("disk", 6, "problem", said, "make room on the server's disk", unpack(at))
    assert_found("disk", 0, "ok", "^the disk of tablespace pg_default has room$", nil)
    here.db:text("alter table pgflow.runs set tablespace " .. full)
    assert_found("disk", 6, "problem", said, "make room on the server's disk")
    here.db:text [[
      do $$ begin create role spec_other; exception when duplicate_object then null; end $$;
      alter function pgflow.doctor_disk() owner to spec_other]]
    local hidden = findings("disk", 1)[2]
    assert.same({ "role spec_other, which owns the functions, cannot look whether there is room in " .. full,
      ("grant create on tablespace %s to spec_other"):format(full) }, { hidden.message, hidden.hint })
    here.db:text "alter function pgflow.doctor_disk() owner to current_user"
    here.db:text "alter table pgflow.runs set tablespace pg_default"
  end)

  it("finds what is in schema pgmq that is not to be trusted", function()
    here.db:text [[
      select pgflow.create_flow('idle'), pgflow.create_flow('lost');
      do $$ begin create role spec_creator; exception when duplicate_object then null; end $$;
      alter table pgmq.a_idle owner to spec_creator;
      select pgmq.drop_queue('lost');
      create view pgmq.q_lost as select 1 / 0 as msg_id;
      grant create on schema pgmq to spec_creator]]
    local found = findings("queues", 1)
    assert.truthy(found[1].message:find "^role spec_creator may create in schema pgmq; luaflow would run another role's code")
    assert.equal("revoke create on schema pgmq from spec_creator", found[1].hint)
    assert.truthy(found[2].message:find "^queue idle must not be trusted: table pgmq.a_idle belongs to role spec_creator")
    assert.truthy(found[3].message:find "^queue lost must not be trusted: table pgmq.q_lost is not a plain table")
    assert.equal("problem", found[3].level)
  end)

  it("finds dead workers that hold tasks, and reloads that failed", function()
    local worker = start_worker()
    local run_id = here.db:start "sick"
    wait.till(function() return files.exists(here.root:at "begun") end, 10, "the handler to begin")
    here.db:text "update pgflow.workers set last_reload_error = 'flows/sick.lua:1: oh', last_reload_at = now()"
    assert_found("workers", 0, "warning", "its last reload failed: flows/sick.lua:1: oh",
      "correct what it names, then run: luaflow reload sick")
    worker.process:kill()
    here.db:text "update pgflow.workers set last_heartbeat_at = now() - interval '5 minutes', last_reload_error = null"
    assert_found("workers", 1, "problem", "of queue sick sent its last heartbeat 00:05:%d+ ago and holds 1 started", "--queue sick PATH")
    start_worker()
    assert_found("workers", 0, "warning", "holds 1 started task$", "another worker of the queue recovers its tasks")
    here.db:text("select pgflow.cancel_run(:'id')", { id = run_id })
    assert_found("workers", 0, "ok", "1 live worker")
  end)

  it("finds messages and tasks that stand in a queue's way", function()
    start_worker()
    here.db:start "sick"
    wait.till(function() return files.exists(here.root:at "begun") end, 10, "the handler to begin")
    here.db:text [[
      update pgmq.q_sick set vt = 'infinity';
      update pgflow.step_tasks set suspicion = 2]]
    local found = findings("queues", 0)
    assert.same({ "warning", "warning" }, { found[1].level, found[2].level })
    assert.truthy(found[1].message:find "^queue sick: messages are hidden for more than a day")
    assert.truthy(found[2].message:find "^queue sick: tasks that ended their executor")
  end)

  it("finds that the clock has jumped, and tasks past their time", function()
    start_worker()
    assert_found("clock", 0, "ok", "no worker saw the clock jump")
    here.db:text "update pgflow.workers set last_heartbeat_at = last_heartbeat_at + interval '1 hour'"
    -- Until its next heartbeat the worker does not count as alive.
    wait.till(function()
      return here.db:number "select count(*) from pgflow.workers w where w.last_heartbeat_at > now()" == 0
    end, 20, "a heartbeat")
    assert.truthy(findings("clock", 0)[1].message:find "^the database's clock jumped by %-0[01]:%d+:%d+ at 20")
    local run_id = here.db:start "sick"
    wait.till(function() return files.exists(here.root:at "begun") end, 30, "the handler to begin")
    here.db:text [[
      insert into pgflow.workers (worker_id, queue_name, function_name, last_heartbeat_at, overdue_tasks)
      values ('00000000-0000-4000-9000-000000000001', 'other', 'other', now() + interval '1 hour', '{}'),
        ('00000000-0000-4000-9000-000000000002', 'other', 'other', now(), '{a task}')]]
    assert.equal(1, #findings("clock", 0), "a dead worker without tasks matters to nobody")
    here.db:text "update pgflow.step_tasks set last_worker_id = '00000000-0000-4000-9000-000000000001'"
    assert.truthy(findings("clock", 0)[2].message:find "^the last heartbeat of 1 worker lies in the future, up to 20")
    assert.truthy(findings("workers", 0)[1].message:find "1 of queue other sent its last heartbeat in the future and holds 1 started task$")
    assert.truthy(here:succeed("workers"):find "dead .* in the future")
    here.db:text("select pgflow.cancel_run(:'id')", { id = run_id })
    assert.equal(1, #findings("clock", 0))
    assert_found("workers", 0, "warning", "^worker %S+2 of queue other holds 1 task past their timeout$", "while the worker holds them")
  end)

  it("finds fences that are up", function()
    start_worker():stop()
    here.db:text "select pgflow.disable_worker_functions(array['sick'])"
    assert_found("functions", 1, "warning", "worker function sick is disabled", "luaflow functions enable sick")
    here.db:text "select pgflow.begin_rollout(array['sick'])"
    assert_found("functions", 0, "warning", "a rollout of sick has been open since", "luaflow rollout status")
    assert_found("queues", 0, "warning", "queue sick has no live worker; active on it: sick", "luaflow rollout status")
  end)

  it("finds broken data, and counts what it does not print", function()
    here.db:text "select pgflow.create_flow('idle'); select pgflow.add_step('idle', 'step')"
    here.db:start_all("idle", "[1, 2, 3, 4, 5, 6, 7]")
    here.db:text "update pgflow.runs set remaining_steps = 5"
    local found = findings("invariants", 1)
    assert.equal(5, #found)
    assert.truthy(found[1].message:find "^run counts its steps: %S+: remaining_steps is 5, open steps are 1$", found[1].message)
    assert.truthy(found[5].message:find "%(and 2 more%)$", found[5].message)
    local text = examine().out
    assert.truthy(text:find "\nproblem  invariants  run counts its steps: ", text)
    assert.truthy(text:find("\n" .. (" "):rep(21) .. "select * from pgflow.check_invariants()", 1, true), text)
  end)

  for mode, expected in pairs {
    transaction = { 6, "problem", "a transaction pooler is in the way", "connect to the server directly" },
    session = { 0, "ok", "LISTEN works" },
  } do
    it("tells a pooler of mode " .. mode, function()
      if not pooler.is_installed() then pending "PgBouncer is not installed" end
      local conninfo, close = pooler.open(here.db, mode)
      finally(close)
      assert_found("session", expected[1], expected[2], expected[3], expected[4], "--database", conninfo)
    end)
  end
end)
