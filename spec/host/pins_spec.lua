-- Whatever a role's settings are, sessions of luaflow have their own: a flow runs and commands answer as without them.
local cjson = require "cjson"
local database = require "spec.support.database"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "pinned" }
  :step({ slug = "write", transaction = true }, function(input, ctx)
    ctx.tx:query("insert into public.spec_written values ($1)", { input.text })
    return ctx.tx:query("select w.text, '\\x41'::bytea as bytes, 0.1::float8 + 0.2 as sum from public.spec_written w")
  end)
  :step({ slug = "read", depends_on = { "write" } }, function(input, ctx)
    return { written = input.write, asked = ctx:query "select interval '1 day 2 hours' as span, length('a\\b') as length" }
  end)
]]

-- Of a role; and what the sessions have all the same, where nobody may choose it. A limit of handlers' is the operator's.
local HOSTILE = {
  standard_conforming_strings = { "off", "on" }, array_nulls = { "off", "on" }, bytea_output = { "escape", "hex" },
  extra_float_digits = { "-15", "1" }, datestyle = { "German", "ISO, DMY" },
  intervalstyle = { "iso_8601", "postgres" },
  quote_all_identifiers = { "on", "off" }, client_min_messages = { "debug1", "warning" },
  default_transaction_deferrable = { "on", "off" }, idle_session_timeout = { "400ms", "0" }, exit_on_error = { "on", "off" },
  client_encoding = { "LATIN1", "UTF8" }, local_preload_libraries = { "nonexistent", "" },
}
local OF_STATEMENTS = {
  row_security = { "on", "off" }, default_transaction_isolation = { "serializable", "read committed" },
  statement_timeout = { "500ms", "0" }, idle_in_transaction_session_timeout = { "400ms", "0" },
  transaction_timeout = { "600ms", "0" }, ["plpgsql.extra_errors"] = { "all", "none" },
  restrict_nonsystem_relation_kind = { "view", "" },
}
local OPTIONAL = { transaction_timeout = true, restrict_nonsystem_relation_kind = true } -- younger than some servers
local LIMIT = 500

-- Keeps the settings of whoever starts or ends a task, and takes longer about a run than the role's statements may.
local WATCH = [[
  create table public.spec_written (text text);
  create table public.spec_sessions (application text, name text, value text);
  grant all on public.spec_written, public.spec_sessions to public;
  create function public.spec_look() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  begin
    insert into public.spec_sessions select current_setting('application_name'), n, current_setting(n, true)
    from unnest(string_to_array(tg_argv[0], ' ')) n;
    return null;
  end $$;
  create function public.spec_dawdle() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
  begin
    if current_setting('application_name') !~ '^luaflow handler' then perform pg_catalog.pg_sleep(%g); end if;
    return new;
  end $$;
  create trigger look after insert or update on pgflow.step_tasks for each statement execute function public.spec_look('%s');
  create trigger dawdle before insert or update of status on pgflow.runs for each row execute function public.spec_dawdle();
  create schema hostile;
  grant usage on schema hostile to public;
  create domain hostile.uuid as pg_catalog.text check (false);
  create domain hostile.text as pg_catalog.text check (false);
  create domain hostile.jsonb as pg_catalog.text check (false);
  create function hostile.no(pg_catalog.text, pg_catalog.text) returns boolean language sql immutable as 'select false';
  create operator hostile.= (leftarg = pg_catalog.text, rightarg = pg_catalog.text, function = hostile.no);
  create function hostile.now() returns timestamptz language sql immutable as $$ select 'epoch'::pg_catalog.timestamptz $$;
]]

describe("with hostile settings of its role", function()
  local here, login, conninfo, baseline

  local function each(list, visit)
    for name, values in pairs(list) do
      local there = here.db:number("select count(*) from pg_settings s where s.name = lower(:'name')", { name = name }) == 1
      if there or not OPTIONAL[name] then visit(name, values) end
    end
  end

  local function make_login()
    login = ("luaflow_hostile_%d"):format(here.db:number "select extract(epoch from clock_timestamp()) * 1000000")
    local lines = { ("create role %s login; grant pgflow_worker, pgflow_starter, pgflow_reader, pgflow_operator, pgflow_handler to %s;")
      :format(login, login) }
    local function add(name, value)
      lines[#lines + 1] = ("alter role %s set %s = %s;"):format(login, name, value)
    end
    local function hostile(name, values) add(name, "'" .. values[1] .. "'") end
    each(HOSTILE, hostile)
    each(OF_STATEMENTS, hostile)
    add("search_path", "hostile, pg_catalog")
    add("lock_timeout", "'1ms'")
    here.db:text(table.concat(lines, "\n"))
  end

  setup(function()
    here = scene.open { ["flows/pinned.lua"] = FLOW }
    local names = { "lock_timeout", "search_path", "geqo" }
    local function add(name) names[#names + 1] = name end
    each(HOSTILE, add)
    each(OF_STATEMENTS, add)
    local function start() return here:luaflow { "start", "pinned", '{"text":"ä\\\\b"}', "--wait", "--json" } end
    here.db:text "create table public.spec_written (text text)"
    here:worker()
    baseline = start()
    assert.equal(0, baseline.code, baseline.err)
    here:stop_workers()
    here.db:text "drop table public.spec_written"
    here.db:text(WATCH:format(LIMIT / 1000 + 0.2, table.concat(names, " ")))
    make_login()
    conninfo = here.db.conninfo .. " user=" .. login .. " options='-c geqo=off'"
  end)

  teardown(function()
    here:close()
    here.db.text({ conninfo = here.db.conninfo:gsub(" dbname=%S+$", " dbname=postgres") }, "drop role if exists " .. login)
  end)

  local function does(...)
    local result = here:luaflow({ ... }, { env = { DATABASE_URL = conninfo } })
    assert.equal(0, result.code, result.err)
    assert.is_nil(result.err:find("database:", 1, true), result.err)
    return result.out
  end

  local function values_of(application)
    local found = {}
    for _, row in ipairs(here.db:rows(
      "select distinct s.name, s.value from public.spec_sessions s where s.application = :'name'", { name = application })) do
      assert.is_nil(found[row.name], application .. ": " .. row.name .. " has several values")
      found[row.name] = row.value
    end
    return found
  end

  local function assert_pinned(application, list)
    local found = values_of(application)
    each(list, function(name, values)
      local wanted = name == "datestyle" and "^ISO, " or "^" .. values[2] .. "$"
      assert.truthy(tostring(found[name]):find(wanted), ("%s: %s is %s"):format(application, name, tostring(found[name])))
    end)
    return found
  end

  it("a worker, its handlers and the commands do what they always do", function()
    local worker = here:worker { database = conninfo }
    local run = cjson.decode(does("start", "pinned", '{"text":"ä\\\\b"}', "--wait", "--json"))
    local usual = cjson.decode(baseline.out)
    assert.same({ usual.status, usual.output }, { run.status, run.output })
    for _, name in ipairs { "luaflow start", "luaflow worker pinned" } do
      assert_pinned(name, HOSTILE)
      local found = assert_pinned(name, OF_STATEMENTS)
      assert.truthy(found.search_path:find "^pg_catalog, pg_temp")
      assert.equal("off", found.geqo)
      assert.equal("10s", found.lock_timeout)
    end
    assert.equal("off", assert_pinned("luaflow handler pinned", HOSTILE).geqo)
    assert.equal(0, #worker:log "database_lost")
    worker:stop()
  end)

  it("no plan of a command's is compiled", function()
    local db = database.create(here.db.name)
    db:text(([[
      alter role %s set jit = on;
      create or replace function pgflow.doctor_disk() returns table (level text, message text, hint text) language sql
      as 'select ''ok'', current_setting(''jit''), null::text']]):format(login))
    local result = here:luaflow({ "doctor", "--json" }, { env = { DATABASE_URL = db.conninfo .. " user=" .. login } })
    for _, finding in ipairs(cjson.decode(result.out)) do
      if finding.check == "disk" then assert.equal("off", finding.message) end
    end
    assert.truthy(result.out:find('"disk"', 1, true), result.out)
    db:drop()
  end)

  it("lists are the same", function()
    for _, words in ipairs { { "runs" }, { "flows" }, { "queues" }, { "functions" }, { "workers", "--all" } } do
      words[#words + 1] = "--json"
      local usual = here:luaflow(words)
      local function steady(text) return (text:gsub('"heartbeat_age_ms": ?%d+', "")) end
      assert.equal(steady(usual.out), steady(does(unpack(words))))
    end
  end)

  it("migrate and doctor work", function()
    local all = { "standard_conforming_strings = off", "quote_all_identifiers = on", "search_path = hostile, pg_catalog",
      "array_nulls = off", "statement_timeout = '500ms'", "lock_timeout = '1ms'", "default_transaction_isolation = serializable",
      "exit_on_error = on" }
    for _, setting in ipairs(all) do
      here.db:text(("do $$ begin execute format('alter database %%I set %s', current_database()); end $$"):format(setting:gsub("'", "''")))
    end
    local migrated = here:luaflow { "migrate" }
    local examined = here:luaflow { "doctor", "--json" }
    here.db:text "do $$ begin execute format('alter database %I reset all', current_database()); end $$"
    assert.equal(0, migrated.code, migrated.err)
    for _, finding in ipairs(cjson.decode(examined.out)) do
      local is_true = finding.message:find "^queue pinned has no live worker"
      assert.is_true(finding.level ~= "problem" or is_true ~= nil, finding.message)
    end
  end)

  it("a server that takes no writes is not written to", function()
    here.db:text(("alter role %s set default_transaction_read_only = on"):format(login))
    local result = here:luaflow({ "start", "pinned" }, { env = { DATABASE_URL = conninfo } })
    here.db:text(("alter role %s reset default_transaction_read_only"):format(login))
    assert.is_true(result.code ~= 0)
    assert.truthy(result.err:find "read%-only", result.err)
  end)
end)

describe("a database whose encoding is not UTF8", function()
  for _, encoding in ipairs { "LATIN1", "SQL_ASCII" } do
    it("is refused by migrate and named by doctor: " .. encoding, function()
      local db = database.create(("template0 encoding '%s' lc_collate 'C' lc_ctype 'C'"):format(encoding))
      local function run(...)
        return process.run { argv = { process.luaflow(), ... }, env = { DATABASE_URL = db.conninfo } }
      end
      local migrated, examined = run("migrate"), run("doctor", "--json")
      local schemas = db:text "select to_regnamespace('pgflow'), to_regnamespace('pgmq')"
      db:drop()
      assert.equal(6, migrated.code)
      said.assert_says(migrated.err,
        ("luaflow: database: its encoding is %s, but luaflow needs UTF8 (database %s on "):format(encoding, db.name),
        ")\n  hint: nothing was changed; create another: create database NAME encoding 'UTF8' template template0\n")
      assert.equal("|", schemas)
      local found
      for _, finding in ipairs(cjson.decode(examined.out)) do
        if finding.check == "server" and finding.level == "problem" then found = finding.message end
      end
      assert.equal("the encoding of the database is " .. encoding, found)
    end)
  end
end)
