-- The roles of the guide: logins made with its lines and nothing else. Each lives its life with the commands and
-- functions that it is for, and is refused everything else, with the
-- name of the role that has the right.
local cjson = require "cjson"
local files = require "spec.support.files"
local said = require "spec.support.said"
local scene = require "spec.support.scene"

local assert_says, assert_refused = said.assert_says, said.assert_refused

local FLOWS = [[
local luaflow = require "luaflow"

local life = luaflow.flow { slug = "life" }
  :map({ slug = "double" }, function(n) return 2 * n end)
  :step({ slug = "book", depends_on = { "double" }, transaction = true }, function(deps, ctx)
    ctx.tx:query("insert into spec_booked select $1::text", #deps.double)
    return #deps.double
  end)
local wrong = luaflow.flow { slug = "wrong", max_attempts = 1 }:step({ slug = "only" }, function() luaflow.fail "no" end)
local slow = luaflow.flow { slug = "slow" }:step({ slug = "nap" }, function(_, ctx) ctx:sleep(60) end)

return luaflow.worker { queue = "life", name = "life", flows = {
  luaflow.deploy(life, { routes = { double = "life", book = "life" } }),
  luaflow.deploy(wrong, { routes = { only = "life" } }),
  luaflow.deploy(slow, { routes = { nap = "life" } }),
} }
]]

local LOGINS = { "worker", "handler", "app", "operator", "reader" }

-- The functions that each may call; everything else is refused.
local READS = {
  "run_summary", "run_steps", "run_attempts", "run_details", "get_run_with_states", "failing_task", "check_invariants",
  "step_states", "step_tasks", "runs", "steps", "queue_figures", "is_local", "uncovered_pairs", "lacking_workers", "preview_deployment",
  "run_samples", "rollout_status", "worker_tasks", "queue_faults", "trust_faults",
  "lock_holders", "worker_status", "worker_function_status", "run_task_counts",
  "doctor_owner", "doctor_queues", "doctor_workers", "doctor_locks", "doctor_clock",
  "doctor_functions", "doctor_events", "doctor_disk", "doctor_invariants",
}
local FUNCTIONS = {
  worker = {
    "deploy_flows", "await_deployment", "deploy_existing", "deploy_files", "preview_files", "await_files",
    "lock_runs", "lock_batch", "claim_tasks", "complete_tasks", "fail_tasks", "release_tasks", "run_input",
    "worker_heartbeat", "recover_tasks", "reconcile_claims", "mark_worker_stopped", "track_worker_function", "preview_deployment",
    "report_reload", "report_trouble", "report_old_generations", "installation_id", "open_transaction", "complete_transaction",
    "rehearse_transaction",
  },
  handler = { "installation_id", "open_transaction", "complete_transaction", "rehearse_transaction" },
  app = {
    "start_flow", "start_flows", "start_flow_with_states", "get_run_with_states", "failing_task", "run_summary", "run_steps",
    "run_attempts", "run_details",
  },
  reader = READS,
  operator = {
    "rehearse_transaction",
    "cancel_run", "retry_run", "prune_data_older_than", "begin_rollout", "finish_rollout",
    "enable_worker_functions", "disable_worker_functions", "forget_worker_function", "retire_alias", "forget_flow", "adopt_queue",
    "request_reload", "reload_answers", "moved_aliases",
    unpack(READS),
  },
}
-- The tables that each may read; reader and operator read all but the one that nobody does.
local TABLES = { worker = { "migrations", "settings" }, handler = {}, app = { "migrations" } }

-- Tries every function with nulls and every relation in every way: a line for each, "what SQLSTATE". Each try is rolled back.
local ATTEMPTS = [[
  create function pg_temp.attempt(p_sql text) returns text language plpgsql as $f$
  begin
    execute p_sql;
    raise exception using errcode = 'SPEC0';
  exception when others then
    return sqlstate;
  end;
  $f$;
  select p.proname || ' ' || pg_temp.attempt(format('select pgflow.%I(%s)', p.proname, (
    select string_agg(format('%snull::%s', case when p.provariadic <> 0 then 'variadic ' end, format_type(t.type, null)), ', ' order by t.i)
    from unnest(p.proargtypes::oid[]) with ordinality t (type, i))))
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'pgflow' and p.prorettype <> 'trigger'::regtype
  union all
  select n.nspname || '.' || c.relname || '.' || a.word || ' ' || pg_temp.attempt(format(a.statement, n.nspname, c.relname))
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  cross join (values ('read', 'select from %I.%I'), ('insert', 'insert into %I.%I default values'), ('delete', 'delete from %I.%I'),
    ('truncate', 'truncate %I.%I'),
    ('trigger', 'create trigger spec after insert on %I.%I execute function suppress_redundant_updates_trigger()')) a (word, statement)
  where n.nspname in ('pgflow', 'pgmq') and (c.relkind = 'r' or c.relkind = 'v' and a.word = 'read')
  union all
  select n.nspname || '.create ' || pg_temp.attempt(format('create function %I.spec() returns int language sql as ''select 1''', n.nspname))
  from pg_namespace n where n.nspname in ('pgflow', 'pgmq');]]

local function set_of(list)
  local set = {}
  for _, name in ipairs(list) do set[name] = true end
  return set
end

describe("the roles of the guide", function()
  local here

  -- A login is not gone while a database knows it, so those of an earlier spec are used again.
  local function make_logins()
    local lines = {}
    for line in (files.read "tools/README.md"):gmatch "[^\n]+" do
      if line:find "^create role flow_" then
        lines[#lines + 1] = ("do $$ begin %s exception when duplicate_object then null; end $$;"):format(line)
      elseif line:find "^grant pgflow_%l+ to flow_" then
        lines[#lines + 1] = line
      end
    end
    assert.equal(2 * #LOGINS, #lines)
    here.db:text(table.concat(lines, "\n"))
  end

  local function conninfo(login) return here.db.conninfo .. " user=flow_" .. login end

  local function as(login, ...)
    return here:luaflow({ ... }, { env = { DATABASE_URL = conninfo(login) } })
  end

  local function does(login, ...)
    local result = as(login, ...)
    assert.equal(0, result.code, result.err)
    return result.out
  end

  -- Refused, and told which role may.
  local function may_not(login, group, ...)
    assert_refused(as(login, ...), 6, ("%s: permission denied: role flow_%s has no right to use luaflow %s\n"):format((...), login, (...)),
      ("hint: role %s has the right; ask an administrator for `grant %s to flow_%s`"):format(group, group, login))
  end

  local function start_worker()
    return here:worker {
      database = conninfo "worker", args = { "--queue", "life", "--executors", "1", "--handler-database", conninfo "handler" },
    }
  end

  local ID = "00000000-0000-4000-8000-000000000001"
  local NO_OPERATOR = {
    { "cancel", ID }, { "retry", ID }, { "prune", "--older-than", "1d" }, { "rollout", "begin", "life" }, { "rollout", "finish" },
    { "functions", "disable", "life" }, { "functions", "enable", "life" }, { "functions", "forget", "life" }, { "flows", "retire", "life" },
    { "flows", "forget", "life" },
  }
  local NO_READER = { { "runs" }, { "queues" }, { "workers" }, { "flows" }, { "functions" }, { "rollout", "status" } }

  before_each(function()
    here = scene.open { ["flows/life.lua"] = FLOWS }
    make_logins()
    here.db:text "create table spec_booked (n text); grant select, insert on spec_booked to flow_handler"
  end)
  after_each(function() here:close() end)

  it("live their lives", function()
    start_worker()
    assert.equal('{"book": 2}\n', does("app", "start", "life", "[1, 2]", "--wait"))
    assert.equal("2", here.db:text "select n from spec_booked")
    local failed = does("app", "start", "wrong"):match "%S+"
    local slow = does("app", "start", "slow"):match "%S+"
    here.db:await_run(failed)
    assert_says(does("app", "run", failed), "failed")
    assert.equal("failed", cjson.decode(does("app", "run", failed, "--json")).run.status)
    assert_refused(as("app", "run", ID), 1, "there is no run " .. ID)
    local examined = as("app", "doctor")
    assert.equal(1, examined.code)
    assert_says(examined.out, "role flow_app can: start runs", "not checked, because this role has no right to look: ", "pgflow_reader")

    for _, login in ipairs { "reader", "operator" } do
      assert_says(does(login, "runs"), failed, slow)
      assert_says(does(login, "run", slow), "nap")
      for _, command in ipairs { "queues", "workers", "flows", "functions" } do assert_says(does(login, command), "life") end
      assert_says(does(login, "rollout", "status"), "no rollout is open")
      assert_says(does(login, "doctor"), "the data of open runs is consistent")
    end

    assert_says(does("operator", "cancel", slow, "--reason", "spec"), "is cancelled")
    local again = does("operator", "retry", failed):match "%S+"
    assert.equal("failed", here.db:await_run(again).status)
    assert_says(does("operator", "rollout", "begin", "life"), "drained")
    assert_says(does("operator", "rollout", "finish"), "life is enabled again")
    assert_says(does("operator", "functions", "disable", "life"), "is now disabled")
    assert_says(does("operator", "functions", "enable", "life"), "is now enabled")
    assert_says(does("operator", "flows", "retire", "wrong"), "wrong is retired")
    assert_says(does("operator", "prune", "--older-than", "0s"), "4 runs deleted")
    assert_says(does("operator", "flows", "forget", "wrong"), "flow wrong is deleted")
    assert_says(does("operator", "functions", "forget", "life"), "worker function life is deleted")
    here:assert_consistent()
  end)

  it("are refused the commands of others by the name of the role that has the right", function()
    start_worker():stop()
    for _, command in ipairs(NO_READER) do may_not("app", "pgflow_reader", unpack(command)) end
    may_not("worker", "pgflow_reader", "runs")
    for _, command in ipairs(NO_OPERATOR) do may_not("reader", "pgflow_operator", unpack(command)) end
    for _, login in ipairs { "app", "worker", "handler" } do may_not(login, "pgflow_operator", "cancel", ID) end
    for _, login in ipairs { "reader", "operator", "worker", "handler" } do may_not(login, "pgflow_starter", "start", "life") end
    may_not("worker", "pgflow_starter", "run", ID)
    local result = as("app", "migrate")
    assert_refused(result, 6, "permission denied", "connect as the owner of schema pgflow")
  end)

  it("can call and read what is theirs, and nothing else", function()
    start_worker():stop()
    local tried = 0
    for _, login in ipairs(LOGINS) do
      local functions, tables = set_of(FUNCTIONS[login]), TABLES[login] and set_of(TABLES[login])
      local said_of = {}
      for what, state in require("spec.support.database").at(conninfo(login)):text(ATTEMPTS):gmatch "(%S+) (%S+)" do
        local relation = what:match "^pgflow%.(.+)%.read$"
        local may_read = relation and relation ~= "transaction_keys" and (not tables or tables[relation])
        local may = functions[what] or may_read
        if (state == "42501") == (may and true or false) then said_of[#said_of + 1] = what .. " " .. state end
        functions[what] = nil
        tried = tried + 1
      end
      assert.same({}, said_of, login)
      assert.same({}, functions, login)
    end
    assert.truthy(tried > 500, tried)
  end)
end)
