-- What many small runs cost the database: one commit for each batch, as many statements for a large batch as for a small
-- one, and no statement on a task's path that reads a table from end to end, whatever the statistics say.
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local files = require "spec.support.files"

local NOOP = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "noop" }:step({ slug = "only" }, function(input) return input end)
]]

local WIDE = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "wide" }
  :array({ slug = "list" }, function(input) return input end)
  :map({ slug = "each", array = "list" }, function(n) return n end)
  :step({ slug = "sum", depends_on = { "each" } }, function(deps) return #deps.each end)
]]

local RUNS = 6000 -- so many that what heartbeats and recovery do meanwhile is little beside them

describe("a batch", function()
  local here

  setup(function()
    here = scene.open { ["flows/noop.lua"] = NOOP }
    here.db:text "create extension if not exists pg_stat_statements"
    here.db:text(("alter database %s set pg_stat_statements.track = 'all'"):format(here.db.name))
    here:worker()
    here:stop_workers()
    -- The server's own vacuuming commits too, and nobody could say how often.
    here.db:text [[
      do $$
      declare
        v_table text;
      begin
        for v_table in select format('%I.%I', t.schemaname, t.tablename) from pg_tables t where t.schemaname in ('pgflow', 'pgmq') loop
          execute format('alter table %s set (autovacuum_enabled = false)', v_table);
        end loop;
      end $$]]
  end)

  teardown(function() here:close() end)

  -- Runs RUNS runs that were started beforehand through a worker with batches of that size; returns what they cost.
  local function drain(size)
    here.db:text([[select count(*) from generate_series(1, :runs) i, lateral pgflow.start_flow('noop', to_jsonb(i))]], { runs = RUNS })
    here.db:text "select pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()), 0)"
    local counters = "select d.xact_commit, d.sessions from pg_stat_database d where d.datname = current_database()"
    local before = here.db:row(counters)
    here:worker { args = { "--executors", "1", "--concurrency", tostring(size), "--batch", tostring(size) } }
    here.db:await_runs(120)
    here:stop_workers()
    local cost = here.db:row [[
      select
        coalesce(sum(s.calls) filter (where s.toplevel and s.query like '%pgflow.claim_tasks(%'), 0) as claims,
        coalesce(sum(s.calls) filter (where s.toplevel and s.query like '%pgflow.complete_tasks(%'), 0) as completions,
        coalesce(sum(s.calls) filter (
          where s.toplevel and s.query !~ 'pgflow\.(claim_tasks|complete_tasks|fail_tasks|release_tasks|lock_batch)\('), 0) as others,
        coalesce(sum(s.calls) filter (where not s.toplevel), 0) as inner_statements
      from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = current_database()]]
    local after = here.db:row(counters)
    cost.commits, cost.sessions = after.xact_commit - before.xact_commit, after.sessions - before.sessions
    cost.batches = math.max(cost.claims, cost.completions)
    cost.inner = cost.inner_statements / cost.batches
    print(("# batches of %d: %d batches, %d commits (%d sessions, %d other statements), %.1f inner statements a batch"):format(
      size, cost.batches, cost.commits, cost.sessions, cost.others, cost.inner))
    return cost
  end

  it("is one commit, and its statements do not grow with its size", function()
    local small, large = drain(50), drain(500)
    for size, cost in pairs { [50] = small, [500] = large } do
      assert.is_true(cost.batches >= RUNS / size, "fewer batches than can be")
      -- Beside the batches: a transaction for the start of each session, for each statement of the heartbeat and of this
      -- spec, and for the few batches that had no claim.
      assert.is_true(cost.commits <= cost.batches + cost.sessions + cost.others + 10,
        ("%d commits for %d batches, %d sessions and %d other statements"):format(
          cost.commits, cost.batches, cost.sessions, cost.others))
    end
    assert.is_true(large.batches < small.batches / 2, "batches of 500 are no larger than those of 50")
    assert.is_true(large.inner <= small.inner * 1.3,
      ("%.1f inner statements in a batch of 500, %.1f in one of 50"):format(large.inner, small.inner))
  end)
end)

-- One session that plans every statement while the tables are empty, then loads, then works, and tells each plan.
local SESSION = [[
\set VERBOSITY terse
\o /dev/null
select worker_id as worker, queue_name as queue, generation from pgflow.workers where queue_name = 'wide' \gset
update pgflow.workers set stopped_at = null where worker_id = :'worker';
create procedure pg_temp.cycle(p_worker uuid, p_generation bigint, p_quantity int) language plpgsql as $$
declare
  v record;
  f record;
begin
  select coalesce(array_agg(c.run_id), '{}') as runs, coalesce(array_agg(c.step_slug), '{}') as steps,
    coalesce(array_agg(c.task_index), '{}') as indexes, coalesce(array_agg(c.claim_no), '{}') as claims,
    coalesce(array_agg(coalesce(c.input, 'null')::jsonb), '{}') as outputs
  into v from pgflow.claim_tasks(p_worker, p_generation, 'wide', p_quantity) c where c.kind = 'task';
  perform pgflow.lock_runs(v.runs, 'wide');
  perform pgflow.release_tasks(v.runs[1:2], v.steps[1:2], v.indexes[1:2], v.claims[1:2]);
  select v.runs[3:4] as runs, v.steps[3:4] as steps, v.indexes[3:4] as indexes, v.claims[3:4] as claims, cardinality(v.runs[3:4]) as size
  into f;
  perform pgflow.fail_tasks(
    f.runs, f.steps, f.indexes, f.claims,
    (array['a', 'b'])[1:f.size], (array[0, 0])[1:f.size], (array[false, true])[1:f.size], (array[false, false])[1:f.size]
  );
  perform pgflow.complete_tasks(v.runs[5:], v.steps[5:], v.indexes[5:], v.claims[5:], v.outputs[5:]);
  perform pgflow.worker_heartbeat(p_worker, v.runs, v.steps, v.indexes, v.claims);
  perform pgflow.start_flow('wide', '[1, 2, 3]');
end $$;
-- Plans are made here, while nothing is there.
call pg_temp.cycle(:'worker', :generation, 1);
call pg_temp.cycle(:'worker', :generation, 1);
select count(*) from generate_series(1, 3000) i, lateral pgflow.start_flow('wide', jsonb_build_array(i, 2, 3));
:analyze
load 'auto_explain';
set auto_explain.log_min_duration = 0;
set auto_explain.log_nested_statements = on;
set auto_explain.log_level = notice;
set client_min_messages = notice;
call pg_temp.cycle(:'worker', :generation, 500);
call pg_temp.cycle(:'worker', :generation, 500);
]]

-- The plan nodes of an explanation that read a table in another way than by an index condition.
local function misreadings(explanations)
  local found, seen = {}, {}
  local function add(node)
    if not seen[node] then found[#found + 1] = node end
    seen[node] = true
  end
  local query, open, merge = "", nil, nil
  for line in (explanations .. "\n"):gmatch "(.-)\n" do
    query = line:match "Query Text: (.*)" or query
    local node = line:match "%->%s+(.*)" or line:match "^(%u%l+ ?.*)%s+%(cost="
    if node or line:find "^NOTICE" or line == "" then
      if open then add(open .. " without a condition, in: " .. query:sub(1, 80)) end
      open = nil
    end
    -- PGMQ joins the messages that it reads to their ids: in order, no further than the last (see _read_messages).
    if merge and line:find "Merge Cond:" and not line:find "m.msg_id = cte.msg_id" then add(merge) end
    merge = nil
    if node then
      local told = node:match "^[^(]*" .. "in: " .. query:sub(1, 80)
      if node:find "Merge %a* ?Join" then merge = told end
      if node:find "Seq Scan" or node:find "Hash %a* ?Join" or node:find "Hash Join" then add(told) end
      -- PGMQ reads the oldest visible messages in the order of their ids, up to the limit.
      if node:find "Index %a* ?%a*Scan" and not node:find "q_wide_pkey" then open = node:match "^[^(]*" end
    elseif open and line:find "Index Cond:" then
      open = nil
    end
  end
  return found
end

describe("the plans of hot statements", function()
  local here

  before_each(function()
    here = scene.open { ["flows/wide.lua"] = WIDE }
    here:worker()
    here:stop_workers()
    -- Definitions too are more than a statement may read as a whole.
    here.db:text [[
      select count(*) from (
        select pgflow.create_flow('other_' || i), pgflow.add_step('other_' || i, 'a'), pgflow.add_step('other_' || i, 'b', array['a'])
        from generate_series(1, 100) i) made]]
  end)

  after_each(function() here:close() end)

  for _, case in ipairs {
    { name = "right after a bulk load, planned while the tables were empty", analyze = "" },
    { name = "after ANALYZE", analyze = "analyze;" },
  } do
    it("use indexes " .. case.name, function()
      local path = here.root:at "session.sql"
      files.write(path, (SESSION:gsub(":analyze", case.analyze)))
      local session = process.run {
        argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", here.db.conninfo, "-f", path }, seconds = 120,
      }
      assert.equal(0, session.code, session.err:sub(-2000))
      assert.is_true(here.db:number "select count(*) from pgflow.runs" > 3000)
      local plans = select(2, session.err:gsub("Query Text:", ""))
      assert.is_true(plans > 50, ("only %d plans were told"):format(plans))
      assert.same({}, misreadings(session.err))
      here.db:text "update pgflow.step_tasks set status = 'queued' where status = 'started'"
    end)
  end
end)
