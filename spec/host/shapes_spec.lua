-- Flows of extreme shapes on the engine: long chains of skips, wide joins, large maps, and two completions at the same moment.
local database = require "spec.support.database"
local files = require "spec.support.files"
local host = require "luaflow.host"
local luaflow = require "luaflow"
local process = require "spec.support.process"
local registry = require "luaflow.registry"
local worker = require "luaflow.worker"

local LONG = os.getenv "LUAFLOW_LONG_SPECS"

describe("the engine", function()
  local db

  local function nothing() end

  before_each(function()
    db = database.clone()
    db:text(files.read "spec/model/shapes.sql")
  end)

  after_each(function()
    local invariants, deadlocks = db:rows "select * from pgflow.check_invariants(true)", db:number [[
      select d.deadlocks from pg_stat_database d where d.datname = current_database()]]
    db:drop()
    assert.same({}, invariants)
    assert.equal(0, deadlocks)
  end)

  local function deploy(flow)
    local served = luaflow.worker { queue = flow.slug, flows = { luaflow.deploy(flow, {}) } }
    assert.same({}, luaflow.problems(served))
    -- In the text, since the argument of a program is at most 128 kB long. No name here holds a quote.
    local text = host.encode(registry.of(worker.subscription(served)))
    db:text("select spec.deploy(:'queue', '" .. text .. "')", { queue = flow.slug })
  end

  local function count_steps(status, reason)
    return db:number([[
      select count(*) from pgflow.step_states s
      where s.status = :'status' and s.skip_reason is not distinct from nullif(:'reason', '')]],
      { status = status, reason = reason or "" })
  end

  -- Completes every task, so many in a batch; the seconds, the tasks and the memory in kB that the session has come to need.
  local function complete_all(queue, quantity)
    local text = db:text(([[
      select spec.memory() as before \gset
      select clock_timestamp() as begun \gset
      call spec.complete_all('%s', %d, 0, 0) \gset
      select extract(epoch from clock_timestamp() - :'begun'::timestamptz), :p_tasks, :p_memory - :before;
    ]]):format(queue, quantity or 500), nil, 600)
    local seconds, tasks, memory = text:match "^([%d.]+)|(%d+)|(-?%d+)$"
    return tonumber(seconds), tonumber(tasks), tonumber(memory)
  end

  it("skips a chain of 500 steps with unmet conditions", function()
    local flow = luaflow.flow { slug = "chain" }:step({ slug = "s1", only_if = { go = true } }, nothing)
    for i = 2, 500 do
      local before = "s" .. i - 1
      flow = flow:step({ slug = "s" .. i, depends_on = { before }, only_if = { [before] = 1 } }, nothing)
    end
    deploy(flow:step({ slug = "last", depends_on = { "s500" } }, nothing))
    db:start("chain", '{"go": false}')
    assert.equal(500, count_steps("skipped", "condition_unmet"))
    assert.equal(1, (select(2, complete_all "chain")))
    assert.same({ status = "completed", output = { last = 0 } }, db:row "select r.status, r.output from pgflow.runs r")
  end)

  it("skips a chain of 500 steps by one cascade", function()
    local flow = luaflow.flow { slug = "cascade" }:step({ slug = "s1", when_exhausted = "skip-cascade" }, nothing)
    for i = 2, 501 do flow = flow:step({ slug = "s" .. i, depends_on = { "s" .. i - 1 } }, nothing) end
    deploy(flow:step({ slug = "other" }, nothing))
    local run_id = db:start "cascade"
    db:text [[select * from pgflow.claim_tasks(spec.worker(), 1, 'cascade', 1)]]
    assert.equal("done", db:text([[
      select a.answer
      from pgflow.step_tasks t
      cross join pgflow.fail_tasks(array[t.run_id], '{s1}', '{0}', array[t.claim_no], '{broken}', '{null}', '{t}', '{f}') a
      where t.run_id = :'id' and t.step_slug = 's1']], { id = run_id }))
    assert.equal(500, count_steps("skipped", "dependency_skipped"))
    assert.equal(1, count_steps("skipped", "handler_failed"))
    assert.equal(1, (select(2, complete_all "cascade")))
    assert.same({ status = "completed", output = { other = 0 } }, db:row "select r.status, r.output from pgflow.runs r")
  end)

  it("joins 200 dependencies", function()
    local flow, all = luaflow.flow { slug = "join" }, {}
    for i = 1, 200 do
      all[i] = "s" .. i
      flow = flow:step({ slug = all[i] }, nothing)
    end
    deploy(flow:step({ slug = "last", depends_on = all }, nothing))
    db:start "join"
    assert.equal(201, (select(2, complete_all "join")))
    assert.same({ status = "completed", output = { last = 0 } }, db:row "select r.status, r.output from pgflow.runs r")
    assert.equal(201, count_steps "completed")
  end)

  -- Runs maps that feed maps; microseconds and bytes for each task.
  local function run_maps(length, runs, quantity)
    for _ = 1, runs do
      db:text(("select run_id from pgflow.start_flow('maps', (select jsonb_agg(n) from generate_series(1, %d) n))"):format(length))
    end
    local seconds, tasks, memory = complete_all("maps", quantity)
    assert.equal(2 * length * runs, tasks)
    assert.same({ runs = runs, length = length, last = length - 1 }, db:row(([[
      select count(*) as runs, min(jsonb_array_length(r.output -> 'again')) as length, max((r.output #> '{again,-1}')::int) as last
      from pgflow.runs r where r.status = 'completed' and jsonb_array_length(r.input) = %d]]):format(length)))
    return seconds / tasks * 1e6, memory * 1024 / tasks
  end

  it(LONG and "runs a map of 100,000 elements that feeds another" or "runs a map of 10,000 elements that feeds another", function()
    local length = LONG and 100000 or 10000
    deploy(luaflow.flow { slug = "maps" }
      :map({ slug = "each" }, nothing):map({ slug = "again", array = "each" }, nothing))
    run_maps(999, 1) -- warms the server
    local small_time, small_memory = run_maps(1000, 5)
    local large_time, large_memory = run_maps(length, 1)
    io.stdout:write(("# map of %d: %.0f us and %.0f bytes a task; of 1000: %.0f us and %.0f bytes; time %.2f times\n"):format(
      length, large_time, large_memory, small_time, small_memory, large_time / small_time))
  end)

  it("reads a full queue as fast when its statistics are those of an empty one", function()
    deploy(luaflow.flow { slug = "maps" }
      :map({ slug = "each" }, nothing):map({ slug = "again", array = "each" }, nothing))
    run_maps(500, 1)
    db:text [[
      alter table pgmq.q_maps set (autovacuum_enabled = false);
      analyze pgmq.q_maps]]
    assert.equal(0, db:number "select c.reltuples from pg_class c where c.oid = 'pgmq.q_maps'::regclass")
    local fetched = "select c.idx_tup_fetch from pg_stat_user_tables c where c.relid = 'pgmq.q_maps'::regclass"
    local before = db:number(fetched)
    run_maps(5000, 1, 50)
    local for_each = (db:number(fetched) - before) / 10000
    assert.is_true(for_each < 10, ("%.1f rows of the queue were read for each task"):format(for_each))
  end)

  it("completes a step once, however close its last two tasks end, 1,000 times", function()
    deploy(luaflow.flow { slug = "pair" }
      :map({ slug = "each" }, nothing):step({ slug = "after", depends_on = { "each" } }, nothing))
    db:text [[
      select count(*) from generate_series(1, 1000) n, lateral pgflow.start_flow('pair', to_jsonb(array[n, n]));
      select count(*) from pgflow.claim_tasks(spec.worker(), 1, 'pair', 2000)]]
    local sessions = {}
    for session = 1, 2 do
      sessions[session] = process.spawn {
        name = "session " .. session,
        argv = {
          "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", db.conninfo, "-c", ("call spec.complete_together(%d, 'each')"):format(session),
        },
      }
    end
    for _, session in ipairs(sessions) do
      local ended = session:wait(120)
      assert.equal(0, ended.code, session:errors())
      session:forget()
    end
    assert.same({ answers = 2000, done = 2000 }, db:row [[
      select count(*) as answers, count(*) filter (where m.answer = 'done') as done from spec.moments m]])
    local overlapping = db:number [[
      select count(*) from spec.moments a join spec.moments b using (n)
      where a.session = 1 and b.session = 2 and a.begun < b.ended and b.begun < a.ended]]
    io.stdout:write(("# of 1000 pairs %d overlapped\n"):format(overlapping))
    assert.is_true(overlapping > 0)
    assert.equal(1000, db:number [[
      select count(*) from pgflow.step_states s where s.step_slug = 'each' and s.status = 'completed' and s.output = '[1, 1]']])
    assert.equal(1000, db:number "select count(*) from pgflow.step_tasks t where t.step_slug = 'after' and t.status = 'queued'")
    assert.equal(1000, db:number "select count(*) from pgmq.q_pair")
    assert.equal(1000, (select(2, complete_all "pair")))
    assert.equal(1000, db:number "select count(*) from pgflow.runs r where r.status = 'completed'")
  end)
end)
