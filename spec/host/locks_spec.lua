-- Locks: what others may hold stops nobody, and who holds one of ours is named.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- Every lock that the session's role can get: all relations in every mode, and by their names the advisory locks that luaflow
-- once took and PGMQ takes.
local TAKE_EVERYTHING = [[
  begin;
  select pg_advisory_lock(k) from unnest(array[
    30528358675410807, hashtextextended('pgflow.deployments', 0), hashtextextended('pgflow.rollouts', 0),
    hashtextextended('pgflow.alias:greet', 0), hashtextextended('pgflow.alias:late', 0), hashtextextended('pgflow.recovery:greet', 0),
    hashtext('pgmq.queue_greet'), hashtext('pgmq.queue_late')
  ]) k;
  do $$
  declare
    v_relation regclass;
    v_mode text;
  begin
    for v_relation in select c.oid from pg_class c where c.relkind in ('r', 'v') loop
      foreach v_mode in array array[
        'access exclusive', 'exclusive', 'share row exclusive', 'share', 'share update exclusive',
        'row exclusive', 'row share', 'access share'
      ] loop
        begin
          execute format('lock table %s in %s mode', v_relation, v_mode);
          exit;
        exception when insufficient_privilege or wrong_object_type then
        end;
      end loop;
    end loop;
  end $$;
  \echo holding
  select pg_sleep(300);
]]

describe("locks", function()
  local here, holders

  before_each(function()
    holders = {}
    here = scene.open {}
    here.db:text(files.read "spec/sql/support/fixtures.sql")
    here.db:text [[
      select spec.deploy('greet', spec.step('a', p_options => '{"timeout": 10}'));
      select spec.start('greet');
      select spec.claim('greet');
      select spec.age_claim('a', interval '1 minute')]]
  end)

  after_each(function()
    for _, holder in ipairs(holders) do
      holder:kill()
      holder:forget()
    end
    here.db:text "select count(c.run_id) from pgflow.runs r, pgflow.cancel_run(r.run_id) c where r.status = 'started'"
    here:close()
  end)

  -- A session of that application and role that runs the SQL, which prints "holding" and then stays.
  local function hold(sql, user)
    local name = "spec_holder_" .. #holders
    here.root:write(name .. ".sql", sql)
    local conninfo = here.db.conninfo .. (user and " user=" .. user or "")
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", conninfo, "-f", here.root:at(name .. ".sql") },
      env = { PGAPPNAME = name },
    }
    holders[#holders + 1] = holder
    wait.till(function()
      assert(not holder:poll(), holder:errors())
      return holder:output():find "holding"
    end, 30, name .. " to hold its locks")
    return here.db:text("select a.pid from pg_stat_activity a where a.application_name = :'name'", { name = name }), name
  end

  local function role(name, group)
    here.db:text(("do $$ begin create role %s login %s; exception when duplicate_object then null; end $$"):format(name, group or ""))
    return name
  end

  local function modes_held_by(pid)
    return here.db:text([[
      select string_agg(distinct l.mode, ', ') from pg_locks l join pg_class c on c.oid = l.relation
      where l.pid = :pid and c.relnamespace in ('pgflow'::regnamespace, 'pgmq'::regnamespace)]], { pid = pid })
  end

  local function assert_all_goes_on()
    here.db:text [[
      set statement_timeout = '10s';
      select spec.start('greet', p_run => 2);
      select from spec.deploy_registry(array[spec.flow('late', array[spec.step('a')])], p_worker => 2);
      select spec.start('late', p_run => 3);
      select pgflow.begin_rollout('{spec}');
      select pgflow.finish_rollout(true);
      select pgflow.retire_alias('late');
      select pgflow.cancel_run(spec.run(3))]]
    assert.equal(1, here.db:number [[
      update pgflow.workers w set last_heartbeat_at = clock_timestamp() where w.worker_id = spec.worker();
      set statement_timeout = '10s';
      select count(*) from pgflow.recover_tasks(spec.worker())]])
    assert.equal("late late_a", here.db:text [[
      select concat_ws(' ', (select m.queue_name from pgmq.meta m where m.queue_name = 'late'),
        (select 'late_a' from pgmq.a_late having count(*) = 1))]])
    here:assert_consistent()
  end

  it("that anybody may hold delay no start, deployment, rollout, recovery or migration", function()
    local pid = hold(TAKE_EVERYTHING, role "luaflow_spec_nobody")
    assert.equal("", modes_held_by(pid))
    assert_all_goes_on()
    local migrated = here:luaflow({ "migrate" }, { seconds = 30 })
    assert.same({ 0, "" }, { migrated.code, migrated.err })
  end)

  it("that whoever reads may hold delay nobody either, and a migration says for whom it waits", function()
    local pid, name = hold(TAKE_EVERYTHING, role("luaflow_spec_looks", "in role pgflow_reader"))
    assert.equal("AccessShareLock", modes_held_by(pid))
    assert_all_goes_on()
    local migrate = process.spawn { argv = { process.luaflow(), "migrate", "--database", here.db.conninfo }, name = "migrate" }
    wait.till(function() return migrate:errors():find "waiting\n" end, 30, "the migration to say that it waits")
    local said = migrate:errors()
    assert.truthy(said:find(("an open transaction of process %s (%s, role luaflow_spec_looks, since "):format(pid, name), 1, true), said)
    here.db:text("select pg_terminate_backend(:pid)", { pid = pid })
    assert.same({ code = 0 }, migrate:wait(30), migrate:errors())
    migrate:forget()
  end)

  it("of an alias name their holder to whoever starts", function()
    local pid, name = hold "begin; select pgflow.retire_alias('greet'); \\echo holding\nselect pg_sleep(300);"
    local refused = here.db:try "set lock_timeout = '300ms'; select spec.start('greet', p_run => 2)"
    local told = ("could not lock alias greet: another transaction deploys or changes it: process %s (%s, role "):format(pid, name)
    assert.truthy(refused.err:find(told, 1, true), refused.err)
    assert.truthy(refused.err:find(("end it: select pg_terminate_backend(%s)"):format(pid), 1, true), refused.err)
    local from = wait.now()
    refused = here.db:try "select spec.start('greet', p_run => 2)"
    assert.truthy(refused.err:find("could not lock alias greet: another transaction", 1, true), refused.err)
    assert.is_true(wait.now() - from > 9 and wait.now() - from < 30)
  end)

  it("of deployments and rollouts name their holder", function()
    local pid, name = hold [[
      begin; select pgflow.retire_alias('greet'); select pgflow.disable_worker_functions('{spec}');
      \echo holding
      select pg_sleep(300);]]
    for statement, what in pairs {
      ["select spec.deploy('greet', spec.step('a'))"] = "could not lock the flows: another transaction deploys or changes some",
      ["select pgflow.delete_flow_and_data('greet')"] = "could not lock the flows: another transaction deploys or changes some",
      ["select pgflow.begin_rollout('{spec}')"] = "could not lock the rollouts: another transaction changes rollouts or worker functions",
    } do
      local refused = here.db:try("set lock_timeout = '300ms'; " .. statement)
      assert.truthy(refused.err:find(("%s: process %s (%s, role "):format(what, pid, name), 1, true), refused.err)
    end
  end)

  it("of many aliases are given back at once when one is in use: starts of the others go on", function()
    here.db:text [[
      select from spec.deploy_registry(array[
        spec.flow('greet', array[spec.step('a')]), spec.flow('other', array[spec.step('a')])
      ], p_worker => 2, p_queue => 'greet')]]
    assert.is_true(here.db:number "select count(distinct pgflow._alias_lock(a)) from unnest('{greet,other}'::text[]) a" == 2)
    local pid, name = hold "begin; select pgflow.start_flow('greet', '{}'); \\echo holding\nselect pg_sleep(300);"
    here.root:write("deploy.sql", [[
      select spec.deploy_registry(array[
        spec.flow('greet', array[spec.step('a')], p_retained => true), spec.flow('greet_2', array[spec.step('a')], p_alias => 'greet'),
        spec.flow('other', array[spec.step('a')], p_retained => true), spec.flow('other_2', array[spec.step('a')], p_alias => 'other')
      ], p_queue => 'greet');]])
    local deployment = process.spawn {
      argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-f", here.root:at "deploy.sql" }, name = "deployment",
    }
    here.db:text [[
      create table spec.starts (took interval);
      do $$
      declare
        v_from timestamptz;
        v_first timestamptz := clock_timestamp();
      begin
        while clock_timestamp() < v_first + interval '2.5 seconds' loop
          v_from := clock_timestamp();
          perform pgflow.start_flow('other', '{}');
          insert into spec.starts values (clock_timestamp() - v_from);
          commit;
          perform pg_sleep(0.01);
        end loop;
      end $$]]
    deployment:wait(30)
    local said = deployment:errors()
    deployment:forget()
    local told = ("could not lock aliases greet: open transactions have called start_flow: process %s (%s, role "):format(pid, name)
    assert.truthy(said:find(told, 1, true), said)
    local slow = here.db:number "select count(*) from spec.starts s where s.took > interval '150 ms'"
    assert.is_true(slow <= 2, slow .. " starts were slow")
    assert.equal("", here.db:text "select coalesce(string_agg(f.flow_slug, ' '), '') from pgflow.flows f where f.flow_slug like '%\\_2'")
  end)

  it("name a holder as far as an owner without pg_read_all_stats can see it", function()
    local nobody = role "luaflow_spec_nobody"
    local pid, name = hold "begin; select pgflow.retire_alias('greet'); \\echo holding\nselect pg_sleep(300);"
    here.db:text(([[
      grant usage on schema pgflow to %s;
      grant execute on function pgflow._lock_holder(text, text) to %s]]):format(nobody, nobody))
    local who = here.db:text(("set role %s; select h.who from pgflow._lock_holder('deployment_lock', 'exclusive') h"):format(nobody))
    assert.truthy(who:find(("process %s (%s, role "):format(pid, name), 1, true), who)
    assert.is_nil(who:find("since", 1, true))
  end)

  -- As after `migrate` as that role: the functions run with its rights.
  local function give_schema_to(owner)
    here.db:text((([[
      do $$
      declare
        v_statement text;
      begin
        for v_statement in
          select format('alter function %s owner to OWNER', p.oid::regprocedure) from pg_proc p
          where p.pronamespace = 'pgflow'::regnamespace
          union all
          select format('alter %s pgflow.%I owner to OWNER', case c.relkind when 'v' then 'view' else 'table' end, c.relname)
          from pg_class c where c.relnamespace = 'pgflow'::regnamespace and c.relkind in ('r', 'v')
          union all select 'alter schema pgflow owner to OWNER'
        loop
          execute v_statement;
        end loop;
      end $$;
      grant usage, create on schema pgmq to OWNER;
      grant all on all tables in schema pgmq to OWNER;
      grant all on all sequences in schema pgmq to OWNER]]):gsub("OWNER", owner)))
  end

  it("are found by doctor of an owner without pg_read_all_stats, which is told that it needs the guide's grant", function()
    local grant = (files.read "tools/README.md"):match "\ngrant pg_read_all_stats to (flow_owner;)\n"
    local owner = role "luaflow_spec_owner"
    here.db:text("revoke pg_read_all_stats from " .. owner)
    give_schema_to(owner)
    local pid, name = hold(
      "begin; select pgflow.start_flow('greet', '{}'); \\echo holding\nselect pg_sleep(300);",
      role("luaflow_spec_starts", "in role pgflow_starter"))
    local function found() return here.db:text [[
      select string_agg(concat_ws(' | ', d.level, d.message, d.hint), E'\n') from pgflow.doctor_locks() d]]
    end
    local holds = ("process %s (%s, role luaflow_spec_starts) has held the lock of alias greet "):format(pid, name)
    local said = found()
    assert.truthy(said:find("warning | " .. holds .. "for more than 5 s | ", 1, true), said)
    assert.truthy(said:find("have an administrator run: grant pg_read_all_stats to " .. owner, 1, true), said)
    here.db:text((assert(grant, "the guide has no grant"):gsub("flow_owner", "grant pg_read_all_stats to " .. owner)))
    said = found()
    assert.truthy(said:find("^warning | " .. holds:gsub("%p", "%%%0") .. "since 20%d%d%-[^\n]+$"), said)
    here.db:text("select pg_terminate_backend(:pid)", { pid = pid })
    wait.till(function() return found():find "^ok | no lock" end, 10, "nothing to be held")
  end)

  it("of luaflow's own tables stop no command for long: it names the holder, and doctor first of all", function()
    local pid, name = hold "begin; lock table pgflow.runs in access exclusive mode; \\echo holding\nselect pg_sleep(300);"
    local holds = ("process %s (%s, role "):format(pid, name)
    wait.till(function()
      return here.db:number("select extract(epoch from clock_timestamp() - a.xact_start)::int from pg_stat_activity a where a.pid = :pid",
        { pid = pid }) > 6
    end, 20, "it to be held for long")
    local commands = {}
    for command, words in pairs {
      doctor = {}, runs = {}, start = { "greet" }, run = { "00000000-0000-4000-8000-000000000001" },
    } do
      commands[command] = process.spawn {
        argv = { process.luaflow(), command, "--database", here.db.conninfo, unpack(words) }, name = command,
      }
    end
    for command, each in pairs(commands) do
      local ended = each:wait(60)
      local said = each:errors() .. each:output()
      assert.equal(6, ended.code, said)
      assert.truthy(said:find(holds, 1, true), said)
      assert.truthy(said:find("since 20%d%d%-[^\n]* has locked table pgflow.runs"), said)
      assert.truthy(said:find(("end it: select pg_terminate_backend(%s)"):format(pid), 1, true), said)
      if command == "doctor" then
        local first = assert(said:find("problem +locks +process " .. pid), said)
        assert.is_true(first < said:find " schema ", said)
        assert.truthy(said:find "problem +invariants +doctor: waited in vain for a lock: process ", said)
        assert.truthy(said:find "ok +functions ", said)
      else
        assert.truthy(said:find(command .. ": waited in vain for a lock: " .. holds, 1, true), said)
      end
      each:forget()
    end
    here.db:text("select pg_terminate_backend(:pid)", { pid = pid })
  end)
end)
