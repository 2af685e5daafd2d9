-- Installing and upgrading where somebody else can make objects, or where the installing role may do little; and
-- that commands mean pg_catalog's names, whatever is in schema public.
local database = require "spec.support.database"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local server = require "spec.support.server"

local assert_says, assert_refused = said.assert_says, said.assert_refused

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "plain", max_attempts = 1 }:step({ slug = "only" }, function(input) return input end)
]]

-- What a role that may create in public puts there: functions and operators that fit the calls of luaflow's
-- statements better than those of pg_catalog do.
local PLANTED = [[
  create sequence public.caught;
  grant usage on sequence public.caught to public;
  create function public.caught() returns boolean language plpgsql as
    'begin if current_user <> ''spec_planter'' then perform nextval(''public.caught''); end if; return true; end';
  create function public.to_jsonb(pgflow.runs) returns jsonb language plpgsql as
    'begin perform public.caught(); return ''{}''; end';
  create function public.format(text, text) returns text language plpgsql as
    'begin perform public.caught(); return ''''; end';
  create function public.format(text, bigint) returns text language plpgsql as
    'begin perform public.caught(); return ''''; end';
  create function public.format(text, name) returns text language plpgsql as
    'begin perform public.caught(); return ''''; end';
  create function public.concat_ws(text, text, text, text, text) returns text language plpgsql as
    'begin perform public.caught(); return ''x''; end';
  create function public.array_to_string(text[], text) returns text language plpgsql as
    'begin perform public.caught(); return ''''; end';
  create function public.array_to_string(int[], text) returns text language plpgsql as
    'begin perform public.caught(); return ''''; end';
  create function public.jsonb_build_object(text, uuid, text, text) returns jsonb language plpgsql as
    'begin perform public.caught(); return ''{}''; end';
  create function public.bigger(int[], int[]) returns boolean language plpgsql as 'begin return public.caught(); end';
  create operator public.> (leftarg = int[], rightarg = int[], function = public.bigger);
  create operator public.>= (leftarg = int[], rightarg = int[], function = public.bigger);]]

local PATHS = [[
  select count(*) from pg_proc p where p.pronamespace = 'pgflow'::regnamespace
    and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp'] ]]

describe("an installation", function()
  local here

  before_each(function() here = scene.open { ["flows/plain.lua"] = FLOW } end)
  after_each(function() here:close() end)

  local function empty_database(owner)
    local db = database.create()
    here.db:text(([[
      do $$ begin create role %s login; exception when duplicate_object then null; end $$;
      alter database %s owner to %s]]):format(owner, db.name, owner))
    return db, db.conninfo .. " user=" .. owner
  end

  local function migrate(conninfo) return here:luaflow { "migrate", "--database", conninfo } end

  it("of an older program is mended by migrate: paths, and rights that roles have no longer", function()
    here.db:text [[
      do $$ declare f regprocedure; begin
        for f in select oid from pg_proc where pronamespace = 'pgflow'::regnamespace and proname <> '_lower_queue_name' loop -- it is newer
          execute format('alter routine %s set search_path = ''''', f);
        end loop;
      end $$;
      delete from pgflow.migrations where version = 11;
      grant select on pgflow.runs, pgflow.run_status to pgflow_starter;
      grant execute on function pgflow.cancel_run(uuid, text) to pgflow_starter]]
    assert.truthy(here.db:number(PATHS) > 150)
    here:succeed "migrate"
    assert.equal(0, here.db:number(PATHS))
    assert.equal("f f f", here.db:text [[
      select concat_ws(' ', has_table_privilege('pgflow_starter', 'pgflow.runs', 'select'),
        has_table_privilege('pgflow_starter', 'pgflow.run_status', 'select'),
        has_function_privilege('pgflow_starter', 'pgflow.cancel_run(uuid, text)', 'execute'))]])
  end)

  it("is of use to no one who may create in public", function()
    here.db:text [[
      do $$ begin create role spec_planter login; exception when duplicate_object then null; end $$;
      grant pgflow_reader to spec_planter;
      grant create on schema public to spec_planter]]
    database.at(here.db.conninfo .. " user=spec_planter"):text(PLANTED)
    local function caught() return here.db:number "select nextval('public.caught')" end

    here:worker { args = { "--executors", "1" } }
    here:succeed("start", "plain", "{}", "--wait")
    here.db:text "delete from pgflow.migrations where version = 11"
    for _, words in ipairs {
      { "migrate" }, { "runs" }, { "runs", "--json" }, { "queues" }, { "queues", "--json" }, { "workers" },
      { "workers", "--json" }, { "flows" }, { "flows", "--json" },
      { "functions" }, { "functions", "--json" }, { "doctor" }, { "start", "plain", "--wait", "--json" },
      { "rollout", "begin", "plain", "--json" }, { "rollout", "finish" }, { "prune", "--older-than", "0s" },
    } do here:succeed(unpack(words)) end
    assert.equal(1, caught())
    -- The same statements with the path that sessions have of themselves.
    here.db:text [[
      select to_jsonb(r) from pgflow.runs r;
      select format('%s', 'x'::text), array_to_string(array['a'], ','), '{1}'::int[] > '{2}'::int[];
      select pgflow.start_flow('plain', '{}'); select to_jsonb(r) from pgflow.runs r]]
    assert.equal(6, caught())
  end)

  it("is refused in schemas that somebody else has made", function()
    local db, foreign = empty_database "spec_owner"
    database.at(foreign):text "create schema pgmq; create table pgmq.meta (queue_name text)"
    assert_refused(migrate(db.conninfo), 6,
      "PGMQ: schema pgmq of this database, or an object in it, belongs to role spec_owner", "migrate as role spec_owner")
    assert.equal("", db:text "select to_regnamespace('pgflow')")
    database.at(foreign):text "drop schema pgmq cascade; create schema pgmq"
    db:text "create extension pgmq" -- made within the schema that it finds
    assert_refused(migrate(db.conninfo), 6,
      "PGMQ: schema pgmq of this database, or an object in it, belongs to role spec_owner")
    db:text "alter schema pgmq owner to current_user; grant create on schema pgmq to spec_owner"
    assert_refused(migrate(db.conninfo), 6, "PGMQ: role spec_owner can create objects in schema pgmq",
      "revoke create on schema pgmq from spec_owner")
    db:text "revoke create on schema pgmq from spec_owner; grant create on schema pgmq to public"
    assert_refused(migrate(db.conninfo), 6, "PGMQ: every role can create objects in schema pgmq",
      "revoke create on schema pgmq from public")
    assert.equal("", db:text "select to_regnamespace('pgflow')")
    db:text "drop extension pgmq; drop schema if exists pgmq cascade"
    database.at(foreign):text [[
      create schema pgflow;
      create table pgflow.migrations (version int, name text, checksum text, oldest_program text, applied_at timestamptz)]]
    assert_refused(migrate(db.conninfo), 6,
      "the schema pgflow in this database belongs to role spec_owner", "nothing was changed; migrate as role spec_owner")
    assert.equal("", db:text "select to_regnamespace('pgmq')")
    db:drop()
  end)

  it("goes on where roles cannot be made, and prints what makes them", function()
    local own = server.open()
    database.at(own.conninfo):text [[
      drop schema pgflow cascade;
      drop owned by pgflow_compat;
      drop role pgflow_starter, pgflow_worker, pgflow_reader, pgflow_compat, pgflow_handler, pgflow_operator]]
    local db = database.on(own.conninfo, "poor")
    db:text "create role spec_installer login; alter database poor owner to spec_installer"
    local conninfo = db.conninfo .. " user=spec_installer"
    local result = migrate(conninfo)
    assert.equal(0, result.code, result.err)
    local statements = {}
    for statement in result.err:gmatch "(create role pgflow_%l+ nologin);" do
      statements[#statements + 1] = statement
    end
    assert.equal(6, #statements, result.err)
    assert_says(result.err, "have an administrator run: create role pgflow_starter nologin; ", "nologin; then migrate again")
    db:text "create role spec_app login"
    local app = db.conninfo .. " user=spec_app"
    assert_refused(here:luaflow { "start", "life", "--database", app }, 6, "permission denied",
      "these roles do not exist: pgflow_starter, pgflow_worker, ", "have an administrator run: create role pgflow_starter nologin; ",
      "then luaflow migrate, then grant pgflow_starter to spec_app")
    assert_says(here:luaflow({ "doctor", "--database", app }).out, "these roles are missing: pgflow_starter, pgflow_worker, ",
      "have an administrator run: create role pgflow_starter nologin; ", "create the missing roles first")
    db:text(table.concat(statements, ";"))
    result = migrate(conninfo)
    assert.same({ 0, "" }, { result.code, result.err })
    assert.equal("t", db:text "select has_function_privilege('pgflow_operator', 'pgflow.cancel_run(uuid, text)', 'execute')")

    -- As after a restore without privileges.
    db:text "revoke all on schema pgmq from spec_installer; revoke all on all tables in schema pgmq from spec_installer"
    result = migrate(conninfo)
    assert.equal(0, result.code, result.err)
    assert_says(result.err, "role spec_installer, which owns schema pgflow, lacks rights on schema pgmq", "workers cannot use their queues")
    db:text(result.err:match "hint: a superuser must run, in database poor: (.-)\n")
    result = migrate(conninfo)
    assert.same({ 0, "" }, { result.code, result.err })
    own:close()
  end)

  it("says nothing about roles that the cluster has, though this role may create none", function()
    local db, conninfo = empty_database "spec_owner"
    local result = migrate(conninfo)
    assert.same({ 0, "" }, { result.code, result.err })
    db:drop()
  end)

  it("says who gives the right to create in the database", function()
    local db, conninfo = empty_database "spec_owner"
    here.db:text(("alter database %s owner to current_user"):format(db.name))
    assert_refused(migrate(conninfo), 6, "permission denied", "which owns the database, or a superuser must run: grant create on database "
      .. db.name .. " to spec_owner")
    db:drop()
  end)
end)
