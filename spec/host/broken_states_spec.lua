-- Whatever is wrong with the database, each command says what the server said, what to do about it, and ends with the same code.
-- The table in tools/README.md ("When the database is not as it should be") is this one in prose.
local database = require "spec.support.database"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "life", max_attempts = 1 }:step({ slug = "only" }, function(input) return input end)
]]

-- A role that has all that it needs; it outlives the databases that know it.
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

local FULL = audit [[raise 'could not extend file "base/1/2": No space left on device' using errcode = 'disk_full';]]

-- The owner of luaflow's functions is nobody special, and one queue is not his.
local FOREIGN_QUEUE = [[
  do $$ declare v_sql text; begin
    for v_sql in
      select format('alter %s %s owner to spec_owner', case p.prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure)
      from pg_proc p where p.pronamespace = 'pgflow'::regnamespace
      union all
      select format('alter table %I.%I owner to spec_owner', n.nspname, c.relname)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('pgflow', 'pgmq') and c.relkind in ('r', 'v', 'p') and c.relname <> 'q_life'
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('e'))
    loop execute v_sql; end loop;
  end $$;
  grant usage on schema pgmq to spec_owner;
  grant select, insert, update, delete on pgmq.meta to spec_owner;
  alter schema pgflow owner to spec_owner]]

local LOST_RIGHTS = [[
  revoke all on schema pgflow from pgflow_starter, pgflow_worker, pgflow_reader, pgflow_operator, pgflow_handler, pgflow_compat;
  revoke all on all tables in schema pgflow from pgflow_worker, pgflow_reader, pgflow_starter;]]

local ROW_SECURITY = [[
  do $$ declare v_table regclass; begin
    for v_table in select c.oid::regclass from pg_class c where c.relnamespace = 'pgflow'::regnamespace and c.relkind = 'r' loop
      execute format('alter table %s enable row level security', v_table);
    end loop;
  end $$]]

-- Each: sql breaks a database that has the schema and the flow life; role connects instead of the owner. For each command the
-- exit code, for a worker that goes on 0, and the words of what it says.
local STATES = {
  {
    name = "no schema", empty = true,
  },
  {
    name = "a schema of somebody else", empty = true, sql = "create schema pgflow",
  },
  {
    name = "a schema that is too old", sql = "delete from pgflow.migrations where version > 1",
  },
  {
    name = "a schema that is too new", sql = "insert into pgflow.migrations values (9999, 'later', 'x', '99.0.0')",
  },
  {
    name = "a schema that is not whole", sql = "drop function pgflow.start_flow_with_states cascade; drop function pgflow.worker_heartbeat cascade",
  },
  {
    name = "a missing right", role = "spec_poor",
  },
  {
    name = "a group whose rights were lost", role = "spec_rich", sql = LOST_RIGHTS,
  },
  {
    name = "row security", role = "spec_rich", sql = ROW_SECURITY,
  },
  {
    name = "no PGMQ", sql = "drop schema pgmq cascade",
  },
  {
    name = "a queue's table that somebody else owns", role = "spec_rich", sql = FOREIGN_QUEUE,
  },
  {
    name = "a dropped queue", sql = "drop table pgmq.q_life cascade",
  },
  {
    name = "a trigger of somebody else", 
    sql = audit "insert into public.changes values (1);" .. [[
      create trigger audit before insert on pgflow.runs for each row execute function public.audit();
      create trigger audit before insert on pgflow.workers for each row execute function public.audit()]],
  },
  {
    name = "an event trigger of somebody else",
    sql = [[
      create function public.audit_ddl() returns event_trigger language plpgsql as
        $$ begin insert into public.changes values (1); end $$;
      drop table pgmq.q_life cascade;
      create event trigger audit on ddl_command_end execute function public.audit_ddl()]],
  },
  {
    name = "a server that takes no writes", sql = "do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$",
  },
  {
    name = "a full disk", sql = FULL .. [[
      create trigger audit before insert on pgflow.runs for each row execute function public.audit();
      create trigger audit before insert on pgflow.workers for each row execute function public.audit()]],
  },
  {
    name = "a limit of connections", role = "spec_rich",
    sql = "do $$ begin execute format('alter database %I connection limit 0', current_database()); end $$",
  },
  { name = "a role that may not log in", role = "pgflow_worker" },
  { name = "a parameter with a value that it cannot have", conninfo = " sslmode=zzz" },
  { name = "a port that cannot be", conninfo = " port=99999" },
  { name = "more than 16 hosts", conninfo = " host=" .. ("a,"):rep(16) .. "a" },
}

describe("a database with", function()
  local here, bare

  setup(function()
    here = scene.open { ["flows/life.lua"] = FLOW }
    here.db:text(ROLES)
    here:worker({ args = { "--executors", "1" } }):stop()
    here:stop_workers()
    bare = here.db
  end)
  teardown(function()
    here.db = bare
    here:close()
  end)

  local function break_(state)
    local db = database.create(not state.empty and bare.name or nil)
    if state.sql then db:text(state.sql) end
    local conninfo = db.conninfo .. (state.role and " user=" .. state.role or "") .. (state.conninfo or "")
    return db, conninfo
  end

  -- All that a worker says until it ends or has said a warning.
  local function work(conninfo)
    local worker = here:launch { database = conninfo, args = { "--executors", "1" } }
    local ended = wait.till(function()
      local now = worker.process:poll()
      return now or worker.process:errors():find '"level":"warn"' or #worker:log "running" > 0
    end, 20, "the worker to end, to run or to complain")
    local text = worker.process:errors()
    local code = worker.process:poll() and worker.process.ended.code or nil
    if not code then worker:stop() end
    worker.process:forget()
    here.workers = {}
    return code or 0, text
  end

  for _, state in ipairs(STATES) do
    it(state.name, function()
      local db, conninfo = break_(state)
      finally(function()
        db:drop()
      end)
      local env = { env = { DATABASE_URL = conninfo } }
      local start = here:luaflow({ "start", "life", "1" }, env)
      local doctor = here:luaflow({ "doctor" }, env)
      local code, text = work(conninfo)
      local out = io.open("/tmp/diag_states.txt", "a")
      out:write("=== ", state.name, "\n-- start ", tostring(start.code), "\n", start.out, start.err, "-- doctor ", tostring(doctor.code), "\n",
        doctor.out, doctor.err, "-- worker ", code, "\n", text, "\n")
      out:close()
    end)
  end
end)
