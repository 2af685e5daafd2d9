-- Whatever is wrong with the database, each command says what the server said, what to do about it, and ends with the same code.
-- The table in tools/README.md ("When the database is not as it should be") has these states, codes and hints.
local database = require "spec.support.database"
local guide = require "spec.support.guide"
local pooler = require "spec.support.pooler"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "life", max_attempts = 1 }:step({ slug = "only" }, function(input) return input end)
]]

-- Deployed for the first time in a state, which creates a queue.
local LATER = FLOW:gsub('"life"', '"later"')

-- One role has nothing, one all that it needs, one owns things; roles outlive the databases that know them.
local ROLES = [[
  do $$ declare v_role text; begin
    foreach v_role in array array['spec_poor', 'spec_rich', 'spec_owner'] loop
      begin execute format('create role %I login', v_role); exception when duplicate_object then null; end;
    end loop;
  end $$;
  grant pgflow_starter, pgflow_worker, pgflow_reader to spec_rich;]]

-- Somebody else's trigger function, which fails as it is told.
local function audit(body)
  return ("create function public.audit() returns trigger language plpgsql as $$ begin %s return new; end $$;"):format(body)
end

local AUDITED = [[
  create trigger audit before insert on pgflow.runs for each row execute function public.audit();
  create trigger audit before insert on pgflow.workers for each row execute function public.audit()]]

local EVENT_TRIGGER = [[
  create function public.audit() returns event_trigger language plpgsql as $$ begin insert into public.changes values (1); end $$;
  create event trigger audit on ddl_command_end execute function public.audit()]]

-- Puts a line before all others of pg_hba.conf, or takes it away again. COPY empties the file before it would read it.
local SWITCH_LINE = [[
  select current_setting('hba_file') as file, pg_read_file(current_setting('hba_file')) as lines \gset
  copy (select string_to_table(rtrim(case when starts_with(:'lines', :'line') then substr(:'lines', length(:'line') + 1)
    else :'line' || :'lines' end, E'\n'), E'\n')) to :'file';
  select pg_reload_conf()]]
local ASKS_PASSWORD = { line = "local all spec_locked scram-sha-256\n" }

-- The server asks one role alone for a password, and others as before.
local function lock(db)
  local conninfo = db.conninfo .. " user=spec_locked password=wrong"
  db:text "create role spec_locked login password 'right'"
  db:text(SWITCH_LINE, ASKS_PASSWORD)
  wait.till(function() return database.at(conninfo):try("select 1").code ~= 0 end, 20, "the server to ask for a password")
  return conninfo, function()
    db:text(SWITCH_LINE, ASKS_PASSWORD)
    db:text "drop role spec_locked"
  end
end

local function alter_database(how)
  return ("do $$ begin execute format('alter database %%I %s', current_database()); end $$"):format(how)
end

-- The owner of luaflow's functions is nobody special, and one queue is not his.
local function owned_but_for(table)
  return ([[
  do $$ declare v_sql text; begin
    for v_sql in
      select format('alter %%s %%s owner to spec_owner', case p.prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure)
      from pg_proc p where p.pronamespace = 'pgflow'::regnamespace
      union all
      select format('alter table %%I.%%I owner to spec_owner', n.nspname, c.relname)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('pgflow', 'pgmq') and c.relkind in ('r', 'v', 'p') and c.relname <> '%s'
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('e'))
    loop execute v_sql; end loop;
  end $$;
  grant usage on schema pgmq to spec_owner;
  grant select, insert, update, delete on pgmq.meta to spec_owner;
  alter schema pgflow owner to spec_owner;]]):format(table)
end

local FOREIGN_QUEUE = owned_but_for "q_life"
local FORCED = "alter table pgflow.runs enable row level security, force row level security"

local LOST_RIGHTS = [[
  revoke all on schema pgflow from pgflow_starter, pgflow_worker, pgflow_reader, pgflow_operator, pgflow_handler, pgflow_compat;
  revoke all on all tables in schema pgflow from pgflow_worker, pgflow_reader, pgflow_starter;]]

local ROW_SECURITY = [[
  do $$ declare v_table regclass; begin
    for v_table in select c.oid::regclass from pg_class c where c.relnamespace = 'pgflow'::regnamespace and c.relkind = 'r' loop
      execute format('alter table %s enable row level security', v_table);
    end loop;
  end $$]]

local MIGRATE = "luaflow migrate"
local FOREIGN_FUNCTION = "PL/pgSQL function public.audit is not luaflow's: a trigger or an event trigger calls it"
local OTHER_DATABASE = "use another database, or rename or drop that schema"
local RESET, NO_ROOM = "reset default_transaction_read_only", "make room on the server's disk"
local HIDDEN = { 6, "row security hides rows of pgflow.alias_activations, ", " more", "disable row level security", "end loop; end" }
local FORCED_HIDDEN = { 6, "row security hides rows of pgflow.runs",
  "as role spec_owner: alter table pgflow.runs disable row level security" }
local REFUSED = { 2, "PGSSLMODE: invalid sslmode value" }
local UNKNOWN = { 2, "PostgreSQL has no connection parameter schema" }
local NO_LIBRARY = { 6, "nowhere", "reset session_preload_libraries" }
local BAD_PORT = { 2, "its port is not between 1 and 65535", "postgresql://user:password@host:port/database" }
local NOT_GIVEN = { 6, "a setting in options: correct PGOPTIONS" }
local MANY_HOSTS = { 2, "it names more than 16 hosts" }
local LIMIT = { 6, "too many connections for database", "raise max_connections of the server, or the limit of the role or database" }
local WRONG_PASSWORD = { 6, "password authentication failed for user \"spec_locked\"", "check the user, the password" }
local NO_LOGIN = { 6, "role \"pgflow_worker\" is not permitted to log in", "alter role NAME login" }

-- Of each command the exit code, GOES_ON for a worker that tries again or works, and words of what it says.
local GOES_ON = "goes on"

-- A deployment takes so long that what is sent meanwhile shares its connection.
local SLOW_DEPLOYMENT = [[
  do $$ begin
    execute regexp_replace(pg_get_functiondef('pgflow.deploy_flows'::regproc), '\nbegin\n', E'\nbegin\n  perform pg_sleep(0.2);\n');
  end $$;]]

-- Each has the name of its row in the guide. sql breaks a database that has the schema and the flow life, or another template's; conninfo
-- is added to its own, or made of it by a function, which may also return how to end what it began.
local STATES = {
  { name = "no schema", template = "template0",
    start = { 6, "this database has no luaflow schema", MIGRATE },
    worker = { 6, "the schema pgflow is missing", MIGRATE },
    doctor = { 6, "this database has no luaflow schema", MIGRATE } },
  { name = "schema that luaflow did not create", template = "template0", sql = "create schema pgflow",
    start = { 6, "was not created by luaflow", OTHER_DATABASE },
    worker = { 6, "was not created by luaflow", OTHER_DATABASE },
    doctor = { 6, "was not created by luaflow", OTHER_DATABASE } },
  { name = "schema that luaflow did not create, of which the role has no rights", template = "template0", sql = "create schema pgflow",
    conninfo = " user=spec_poor",
    start = { 6, "was not created by luaflow (database ", OTHER_DATABASE },
    worker = { 6, "was not created by luaflow (database ", OTHER_DATABASE },
    doctor = { 6, "was not created by luaflow (database ", OTHER_DATABASE } },
  { name = "schema too old", sql = "delete from pgflow.migrations where version > 1",
    start = { 6, "the database is at version 1, but luaflow", "luaflow migrate upgrades it" },
    worker = { 6, "the schema is at version 1, but this program needs", MIGRATE },
    doctor = { 6, "the database is at version 1, but luaflow", "luaflow migrate upgrades it" } },
  { name = "schema too new", sql = "insert into pgflow.migrations values (9999, 'later', 'x', '99.0.0')",
    start = { 6, "the database is at version 9999", "use the newer luaflow" },
    worker = { 6, "the schema needs luaflow 99.0.0 or newer", "install a newer luaflow" },
    doctor = { 6, "the database is at version 9999", "use the newer luaflow" } },
  { name = "functions of the schema missing",
    sql = "drop function pgflow.start_flow cascade; drop function pgflow.worker_heartbeat cascade",
    start = { 6, "function pgflow.start_flow(", "does not exist", "`luaflow migrate`, which creates functions and views again" },
    worker = { 6, "the schema pgflow is too old or incomplete: function pgflow.worker_heartbeat(", "does not exist", MIGRATE },
    doctor = { 6, "it lacks function pgflow.start_flow, function pgflow.worker_heartbeat", "`luaflow migrate`, which creates functions" } },
  { name = "inner functions or views of the schema missing",
    sql = "drop function pgflow._sweep_orphans cascade; drop view pgflow.flow_versions cascade",
    start = { 0 },
    worker = { 6, "is incomplete: it lacks function pgflow._sweep_orphans, view pgflow.flow_versions", MIGRATE },
    doctor = { 6, "it lacks function pgflow._sweep_orphans, view pgflow.flow_versions", "`luaflow migrate`, which creates functions" } },
  { name = "right missing", conninfo = " user=spec_poor",
    start = { 6, "permission denied for schema pgflow", "`grant pgflow_starter to spec_poor`" },
    worker = { GOES_ON, "permission denied for schema pgflow", "`grant pgflow_worker to spec_poor`" },
    doctor = { 1, "role spec_poor has no rights on the schema", "grant pgflow_worker to spec_poor" } },
  { name = "rights of the groups lost (restore without privileges)", conninfo = " user=spec_rich", sql = LOST_RIGHTS,
    start = { 6, "permission denied for schema pgflow", "a member of pgflow_starter, whose rights are lost", MIGRATE },
    worker = { GOES_ON, "permission denied for schema pgflow", "spec_rich is a member of pgflow_worker, whose rights are lost", MIGRATE },
    doctor = { 1, "a member of pgflow_reader, pgflow_starter, pgflow_worker, whose rights are lost", MIGRATE } },
  { name = "row security hides rows", conninfo = " user=spec_rich", sql = ROW_SECURITY,
    start = HIDDEN, worker = HIDDEN, doctor = HIDDEN },
  { name = "row security forced on the schema's owner", conninfo = " user=spec_rich", sql = owned_but_for "" .. FORCED,
    start = FORCED_HIDDEN, worker = FORCED_HIDDEN, doctor = FORCED_HIDDEN },
  { name = "a table of the schema belongs to another role", conninfo = " user=spec_rich",
    sql = owned_but_for "" .. "alter table pgflow.flow_aliases owner to current_user",
    start = { 6, "permission denied for table flow_aliases", "the owner of schema pgflow, whose rights its functions have" },
    worker = { GOES_ON, "permission denied for table flow_aliases", "the owner of schema pgflow, whose rights its functions have" },
    doctor = { 1, "table pgflow.flow_aliases belongs to role ", "as a superuser: alter table pgflow.flow_aliases owner to spec_owner" } },
  { name = "no PGMQ", sql = "drop schema pgmq cascade",
    start = { 6, "schema \"pgmq\" does not exist", "PGMQ is missing or too old" },
    worker = { 6, "relation \"pgmq.meta\" does not exist", "PGMQ is missing or too old" },
    doctor = { 6, "PGMQ is not installed in this database", "luaflow migrate installs the extension" } },
  { name = "a queue's table belongs to another role", conninfo = " user=spec_rich", sql = FOREIGN_QUEUE,
    start = { 6, "permission denied for table q_life", "the owner of schema pgflow, whose rights its functions have, lacks this right" },
    worker = { GOES_ON, "permission denied for sequence q_life_msg_id_seq", "the owner of schema pgflow, whose rights its functions have" },
    doctor = { 1, "role spec_owner, which owns the functions, has no right to use table pgmq.q_life",
      "alter table pgmq.q_life owner to" } },
  { name = "a queue's table belongs to a role that is not trusted", conninfo = " user=spec_rich",
    sql = owned_but_for "" .. "alter table pgmq.q_life owner to spec_poor",
    start = { 6, "permission denied for table q_life", "the owner of schema pgflow, whose rights its functions have, lacks this right" },
    worker = { 4, "table pgmq.q_life belongs to role spec_poor",
      "as a superuser, or as role spec_poor if it is a member of spec_owner: alter table pgmq.q_life" },
    doctor = { 1, "table pgmq.q_life belongs to role spec_poor", "alter table pgmq.q_life owner to spec_owner" } },
  { name = "dropped queue", sql = "drop table pgmq.q_life cascade",
    start = { 6, "relation \"pgmq.q_life\" does not exist", "start a worker whose flows use the queue" },
    worker = { GOES_ON, "running" },
    doctor = { 1, "queue life has lost its table", "start or restart a worker whose flows use it" } },
  { name = "trigger that is not luaflow's fails", sql = audit "insert into public.changes values (1);" .. AUDITED,
    start = { 6, "relation \"public.changes\" does not exist", FOREIGN_FUNCTION },
    worker = { 6, "relation \"public.changes\" does not exist", FOREIGN_FUNCTION },
    doctor = { 1, "table pgflow.runs has a trigger that is not luaflow's, which runs public.audit", "make sure that it cannot fail" } },
  { name = "event trigger that is not luaflow's fails", sql = EVENT_TRIGGER, paths = { "later" },
    start = { 0 },
    worker = { 6, "relation \"public.changes\" does not exist", FOREIGN_FUNCTION },
    doctor = { 1, "queue life holds 1 message and has no live worker" } },
  { name = "trigger that is not luaflow's raises an exception", sql = audit "raise 'not today' using hint = 'ask finance';" .. AUDITED,
    start = { 6, "not today", FOREIGN_FUNCTION, "its own hint: ask finance" },
    worker = { 6, "not today", FOREIGN_FUNCTION, "its own hint: ask finance" },
    doctor = { 1, "table pgflow.runs has a trigger that is not luaflow's, which runs public.audit", "make sure that it cannot fail" } },
  { name = "transactions are read-only by setting", sql = alter_database "set default_transaction_read_only = on",
    start = { 6, "cannot execute INSERT in a read-only transaction", RESET },
    worker = { GOES_ON, "cannot execute INSERT in a read-only transaction", RESET },
    doctor = { 6, "transactions are read-only by default", "alter database luaflow_spec_", RESET } },
  { name = "disk full",
    sql = audit [[raise 'could not extend file' using errcode = 'disk_full', hint = 'Check free disk space.';]] .. AUDITED,
    start = { 6, "could not extend file", NO_ROOM },
    worker = { GOES_ON, "could not extend file", NO_ROOM },
    doctor = { 1, "queue life has no live worker" } },
  { name = "encoding other than UTF8", template = "template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'",
    migrate = { 6, "its encoding is LATIN1, but luaflow needs UTF8", "create database NAME encoding 'UTF8' template template0" },
    start = { 6, "this database has no luaflow schema", "its encoding is LATIN1" },
    worker = { 6, "the schema pgflow is missing", MIGRATE },
    doctor = { 6, "has no luaflow schema (database ",
      "its encoding is LATIN1, but luaflow needs UTF8", "create database NAME encoding 'UTF8' template template0" } },
  { name = "transaction pooler in between", conninfo = function(db) return pooler.open(db, "transaction") end,
    start = { 0 },
    worker = { 6, "a transaction pooler is in the way", "connect to the server directly" },
    doctor = { 6, "a transaction pooler is in the way", "connect to the server directly" } },
  { name = "limit of connections", conninfo = " user=spec_rich", sql = alter_database "connection limit 0",
    start = LIMIT, worker = { GOES_ON, unpack(LIMIT, 2) }, doctor = LIMIT },
  { name = "wrong password", conninfo = lock,
    start = WRONG_PASSWORD, worker = { GOES_ON, unpack(WRONG_PASSWORD, 2) }, doctor = WRONG_PASSWORD },
  { name = "role that may not log in", conninfo = " user=pgflow_worker",
    start = NO_LOGIN, worker = { GOES_ON, unpack(NO_LOGIN, 2) }, doctor = NO_LOGIN },
  { name = "parameter with an invalid value (`sslmode=zzz`, `connect_timeout=zz`)", env = { PGSSLMODE = "zzz" },
    start = REFUSED, worker = REFUSED, doctor = REFUSED },
  { name = "parameter that libpq does not know (`?schema=public`)", conninfo = function() return "postgresql:///nowhere?schema=public" end,
    start = UNKNOWN, worker = UNKNOWN, doctor = UNKNOWN },
  { name = "library that `session_preload_libraries` names cannot be loaded", conninfo = " user=spec_rich",
    sql = alter_database "set session_preload_libraries = ''nowhere''",
    start = NO_LIBRARY, worker = { GOES_ON, unpack(NO_LIBRARY, 2) }, doctor = NO_LIBRARY },
  { name = "what the server does not give (`sslmode`, `target_session_attrs`, `options`)", env = { PGOPTIONS = "-c unheard_of=1" },
    start = NOT_GIVEN, worker = { GOES_ON, unpack(NOT_GIVEN, 2) }, doctor = NOT_GIVEN },
  { name = "invalid port", conninfo = " port=99999", start = BAD_PORT, worker = BAD_PORT, doctor = BAD_PORT },
  { name = "more than 16 hosts", conninfo = " host=" .. ("a,"):rep(16) .. "a",
    start = MANY_HOSTS, worker = MANY_HOSTS, doctor = MANY_HOSTS },
}

-- The guide's row of each state: cells by column.
local GUIDE = {}
for _, row in ipairs(guide.table("tools/README.md", "When the database is not as it should be")) do GUIDE[row.State] = row end

describe("a database with", function()
  local here

  setup(function()
    here = scene.open { ["flows/life.lua"] = FLOW, ["later/later.lua"] = LATER }
    here.db:text(ROLES)
    here:worker({ args = { "--executors", "1" } }):stop()
    here:stop_workers()
  end)
  teardown(function() here:close() end)

  local function broken(state)
    local db = database.create(state.template or here.db.name)
    if state.sql then db:text(state.sql) end
    if type(state.conninfo) ~= "function" then return db, db.conninfo .. (state.conninfo or "") end
    return db, state.conninfo(db)
  end

  local function run(command, conninfo, env)
    local all = { DATABASE_URL = conninfo }
    for name, value in pairs(env or {}) do all[name] = value end
    local result = here:luaflow({ unpack(command) }, { env = all })
    return result.code, result.out .. result.err
  end

  -- All that a worker says until it ends, works, or has complained.
  local function work(conninfo, paths, env)
    local worker = here:launch { database = conninfo, args = { "--executors", "1" }, paths = paths, env = env }
    wait.till(function()
      return worker.process:poll() or #worker:log "running" > 0 or worker.process:errors():find('"level":"warn"', 1, true)
    end, 30, "the worker to end, to run or to complain")
    local ended = worker.process:poll()
    if not ended then assert.same({ code = 0 }, worker:stop()) end
    local text = worker.process:errors()
    worker.process:forget()
    here.workers = {}
    return ended and ended.code or GOES_ON, (text:gsub('\\"', '"'))
  end

  local function assert_answers(expected, command, code, text)
    assert.equal(expected[1], code, command .. ":\n" .. text)
    said.assert_says(text, unpack(expected, 2))
    return text
  end

  -- The row's codes are these, and what it has in backticks is said by one of the commands.
  local function assert_guided(state, texts)
    local row = assert(GUIDE[state.name], "tools/README.md has no row: " .. state.name)
    for _, command in ipairs { "start", "worker", "doctor" } do
      local code = row["`" .. command .. "`"]:match "^goes on" or tonumber(row["`" .. command .. "`"]:match "^%d")
      assert.equal(state[command][1], code, command .. " in the guide")
    end
    for quoted in row.Hint:gmatch "`([^`]+)`" do said.assert_says(texts, quoted) end
  end

  it("each of these states is in the guide, and no other", function()
    local names = {}
    for _, state in ipairs(STATES) do names[state.name] = true end
    for name in pairs(GUIDE) do assert.is_true(names[name], name) end
  end)

  for _, state in ipairs(STATES) do
    it(state.name, function()
      if state.name:find "pooler" and not pooler.is_installed() then pending "PgBouncer is not installed" end
      local db, conninfo, close = broken(state)
      finally(function()
        if close then close() end
        db:drop()
      end)
      local texts = {}
      if state.migrate then texts[#texts + 1] = assert_answers(state.migrate, "migrate", run({ "migrate" }, conninfo)) end
      texts[#texts + 1] = assert_answers(state.start, "start", run({ "start", "life", "1" }, conninfo, state.env))
      local found = assert_answers(state.doctor, "doctor", run({ "doctor" }, conninfo, state.env))
      assert.is_nil(found:find("luaflow doctor", 1, true), found)
      texts[#texts + 1] = found
      texts[#texts + 1] = assert_answers(state.worker, "worker", work(conninfo, state.paths, state.env))
      assert_guided(state, table.concat(texts, "\n"))
    end)
  end

  local function terminate(db, application)
    wait.till(function()
      return db:number(([[
        select count(pg_terminate_backend(a.pid)) from pg_stat_activity a
        where a.datname = current_database() and a.application_name like '%s%%']]):format(application)) > 0
    end, 20, "a connection to end")
  end

  it("row security forced on a table under a live worker: its messages stay, and it says what to do", function()
    local db = database.create(here.db.name)
    db:text(owned_but_for "")
    local worker = here:worker { database = db.conninfo .. " user=spec_rich", args = { "--executors", "1" } }
    db:text("begin; select pgflow.start_flow('life', '1'); " .. FORCED .. "; commit")
    local failed = wait.till(function() return worker:log("transaction_failed")[1] end, 30, "a claim to fail")
    assert.equal("42501", failed.sqlstate)
    said.assert_says(failed.hint, "its owner runs: alter table pgflow.runs disable row level security")
    assert.equal("1 0", db:text "select (select count(*) from pgmq.q_life) || ' ' || (select count(*) from pgmq.a_life)")
    db:text "alter table pgflow.runs disable row level security"
    wait.till(function()
      return db:number "select count(*) from pgflow.runs where status = 'completed'" == 1
    end, 30, "the run to complete")
    here:stop_workers()
    db:drop()
  end)

  it("lost rights of the groups, which every command names", function()
    local db = database.create(here.db.name)
    local conninfo = db.conninfo .. " user=spec_rich"
    local function assert_named(commands, group)
      for _, command in ipairs(commands) do
        local code, text = run({ command }, conninfo)
        assert.equal(6, code, text)
        said.assert_says(text, "role spec_rich is a member of " .. group .. ", whose rights are lost", MIGRATE)
      end
    end
    db:text(LOST_RIGHTS)
    assert_named({ "workers", "queues", "runs" }, "pgflow_reader")
    db:text [[
      grant usage on schema pgflow to pgflow_worker, pgflow_reader;
      revoke all on all functions in schema pgflow from pgflow_worker, pgflow_reader]]
    assert_named({ "workers", "queues" }, "pgflow_reader")
    assert_answers({ GOES_ON, "permission denied for function pgflow.worker_heartbeat",
      "role spec_rich is a member of pgflow_worker, whose rights are lost" }, "worker", work(conninfo))
    db:drop()
  end)

  it("a dropped queue with tasks, of which doctor prints one line", function()
    local db = database.create(here.db.name)
    db:text "select pgflow.start_flow('life', '1'), pgflow.start_flow('life', '2'); select pgmq.drop_queue('life')"
    local code, text = run({ "doctor" }, db.conninfo)
    assert.equal(1, code)
    local problems = {}
    for line in text:gmatch "[^\n]+" do
      if line:find "^problem" then problems[#problems + 1] = line end
    end
    assert.equal(1, #problems, text)
    said.assert_says(problems[1], "queue life has lost its table")
    assert.is_nil(text:find("report a bug", 1, true), text)
    db:drop()
  end)

  it("transactions that are read-only by setting, of which a worker logs one line for each kind of statement", function()
    local db = database.create(here.db.name)
    db:text(SLOW_DEPLOYMENT .. alter_database "set default_transaction_read_only = on")
    local worker = here:launch { database = db.conninfo, args = { "--executors", "1" } }
    local function complaints()
      local lines = {}
      for line in worker.process:errors():gmatch "[^\n]+" do
        if line:find '"level":"warn"' or line:find '"level":"error"' or line:find "database_back" then lines[#lines + 1] = line end
      end
      return lines
    end
    wait.till(function() return complaints()[1] end, 20, "the worker to complain")
    wait.pause(6)
    assert.equal(1, #complaints(), table.concat(complaints(), "\n"))
    db:text("set default_transaction_read_only = off; " .. alter_database "reset default_transaction_read_only")
    worker:await_log("running", 30)
    db:text(alter_database "set default_transaction_read_only = on")
    terminate(db, "luaflow worker")
    wait.pause(8)
    local seen = {}
    for _, line in ipairs(complaints()) do
      local kind = line:match '"verb":"[^"]*"' .. (line:match '"statement":"[^"]*"' or "")
      assert.is_nil(seen[kind], line)
      assert.is_true(kind:find "database_" ~= nil or line:find(RESET, 1, true) ~= nil, line)
      seen[kind] = true
    end
    assert.truthy(seen['"verb":"heartbeat_failed"'])
    worker.process:kill()
    worker.process:forget()
    here.workers = {}
    db:drop()
  end)

  it("an outage whose reason changes, each of which is told at once", function()
    local worker = here:worker { database = here.db.conninfo .. " user=spec_rich", args = { "--executors", "1" } }
    here.db:text(alter_database "connection limit 0")
    terminate(here.db, "luaflow worker")
    local lost = wait.till(function()
      local lines = worker:log "database_lost"
      return #lines >= 2 and lines
    end, 20, "the second reason")
    here.db:text(alter_database "connection limit -1")
    worker:await_log "database_back"
    said.assert_says(lost[1].error, "terminating connection due to administrator command")
    said.assert_says(lost[2].error, "too many connections for database")
    said.assert_says(lost[2].hint, "max_connections")
    assert.equal(2, #worker:log "database_lost")
    here:stop_workers()
  end)

  it("a command's connection that the server ended, which is told in its words", function()
    local waiting = process.spawn {
      argv = { process.luaflow(), "start", "life", "1", "--wait" }, name = "start", env = { DATABASE_URL = here.db.conninfo },
    }
    local function says(words) return function() return waiting:errors():find(words, 1, true) end end
    wait.till(says "only: queued", 20, "the command to follow its run")
    terminate(here.db, "luaflow start")
    wait.till(says "terminating connection due to administrator command", 20, "the server's words")
    waiting:kill()
    waiting:forget()
  end)
end)
