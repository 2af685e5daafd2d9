-- What a claim cannot take as it is: too large inputs fail by name, messages that belong to nobody are passed by, and the others go on.
local scene = require "spec.support.scene"

local ECHO = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "echo" }
  :step({ slug = "length" }, function(input, ctx) return { #tostring(input), #tostring(ctx:flow_input()) } end)
]]

local HURRIED = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "hurried", timeout = 1, max_attempts = 2, base_delay = 0 }
  :step({ slug = "only" }, function(input) return #input end)
]]

describe("a claim", function()
  local s

  before_each(function() s = scene.open { ["flows/echo.lua"] = ECHO } end)
  after_each(function() s:close() end)

  it("fails a task whose input is above --max-input, by name, and takes those beside it", function()
    s:worker { args = { "--max-input", "1MB" } }
    local large = s.db:text "select r.run_id from pgflow.start_flow('echo', to_jsonb(repeat('x', 1100000))) r"
    local small = s.db:text "select r.run_id from pgflow.start_flow('echo', to_jsonb(repeat('x', 900000))) r"
    s.db:await_run(large, 60)
    s.db:await_run(small, 60)
    assert.equal("failed|the input of step length is 1074 kB as JSON text, but --max-input is 1024 kB",
      s.db:text("select r.status, r.error_message from pgflow.runs r where r.run_id = :'run'", { run = large }))
    local line = s.workers[1]:await_log "failed_unclaimed"
    assert.same({ large, "length", 0 }, { line.run, line.step, line.index })
    assert.equal('completed|{"length": [900000, 900000]}',
      s.db:text("select r.status, r.output from pgflow.runs r where r.run_id = :'run'", { run = small }))
  end)

  it("charges a task whose input takes longer to give out than the task may, and nobody beside it", function()
    s.root:write("flows/echo.lua", HURRIED)
    s:worker { args = { "--executors", "1" } }
    s.db:text [[
      begin;
      select from generate_series(1, 5) n, pgflow.start_flow('hurried', to_jsonb(array[n]));
      select from pgflow.start_flow('hurried', '["slow"]');
      update pgflow.runs r set input = ('[' || repeat('1e131071,', 480) || '1]')::jsonb where r.input = '["slow"]';
      select from generate_series(1, 5) n, pgflow.start_flow('hurried', to_jsonb(array[n]));
      commit]]
    s.db:await_runs(240)
    assert.same({ { message = "timed out after 1 s: sending its input took longer than that", attempts = 2, tasks = 1 } }, s.db:rows [[
      select t.error_message as message, t.attempts_count as attempts, count(*) as tasks
      from pgflow.step_tasks t where t.status = 'failed' group by 1, 2]])
    assert.equal(10, s.db:number "select count(*) from pgflow.step_tasks t where t.status = 'completed' and t.attempts_count = 1")
  end)

  it("takes no more than --max-input at once", function()
    s:worker { args = { "--max-input", "1MB", "--log-level", "debug" } }
    s.db:text "select from generate_series(1, 9) n, pgflow.start_flow('echo', to_jsonb(repeat('x', 400000) || n))"
    s.db:await_runs(60)
    assert.equal("9", s.db:text "select count(*) from pgflow.runs r where r.status = 'completed'")
    for _, entry in ipairs(s.workers[1]:log "claimed") do assert.is_true(entry.tasks <= 2) end
  end)

  it("is not kept from a run by 20,000 messages in front of it that nobody owns", function()
    local worker = s:worker { args = { "--concurrency", "10" } }
    s.db:text [[
      begin;
      select from pgmq.send_batch('echo', array_fill('{}'::jsonb, array[20000]));
      update pgmq.q_echo set enqueued_at = now() - interval '61 seconds' where msg_id % 2 = 0;
      select from pgflow.start_flow('echo', '"abc"');
      commit]]
    s.db:await_runs(60)
    local took = s.db:number "select extract(epoch from r.completed_at - r.started_at) from pgflow.runs r"
    assert.is_true(took < 20, ("it took %.1f s"):format(took))
    assert.is_true(#worker:log "archived_orphan" > 0)
    assert.is_true(#worker:log "archived_orphans" > 0)
  end)

  it("sets a message aside that cannot be read, and names it", function()
    local worker = s:worker()
    s.db:text [[
      insert into pgmq.q_echo (msg_id, read_ct, vt, message) overriding system value
      select -n, 2147483647, now(), '{}' from generate_series(1, 3) n;
      select from pgflow.start_flow('echo', '"abc"')]]
    s.db:await_runs(30)
    local set_aside = worker:log "archived_unreadable"
    assert.equal(3, #set_aside)
    assert.same({ "echo", -3, "integer out of range" }, { set_aside[1].queue, set_aside[1].message, set_aside[1].reason })
    assert.equal("3", s.db:text "select count(*) from pgmq.a_echo a where a.msg_id < 0")
    assert.equal("completed 1", s.db:text [[
      select r.status || ' ' || t.attempts_count from pgflow.runs r join pgflow.step_tasks t using (run_id)]])
  end)
end)
