-- Stopping a worker: whatever it was doing, every finished handler is recorded, no attempt is lost and nothing stays behind.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- The last thing a handler does is to note that it has finished.
local LOAD = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "load" }:map({ slug = "each" }, function(n, ctx)
  ctx:sleep(0.01 * (n % 7))
  local file = io.open(ctx.env.SPEC_FOLDER .. "/finished", "a")
  file:write(ctx.run_id, " ", ctx.task_index, "\n")
  file:close()
  return n
end)
]]

local LONG = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "long", timeout = 100 }:step({ slug = "work" }, function(input, ctx)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/begun", "a")
  file:write(ctx.run_id, "\n")
  file:close()
  if input.spin then while true do end end
  ctx:sleep(input.sleep)
  return ctx:stopping()
end)
]]

local TASKS = 3000

describe("stopping a worker", function()
  local here

  before_each(function()
    here = scene.open { ["flows/load.lua"] = LOAD, ["flows/long.lua"] = LONG }
  end)

  after_each(function() here:close() end)

  local function count_lines(name)
    return #files.lines(here.root:at(name))
  end

  local function start_load()
    local numbers = {}
    for i = 1, TASKS do numbers[i] = i end
    local run_id = here.db:start("load", "[" .. table.concat(numbers, ",") .. "]")
    wait.till(function() return count_lines "finished" > 300 end, 20, "handlers to finish")
    return run_id
  end

  -- What was recorded equals what finished, and no task has an attempt that did not end.
  local function assert_all_recorded(run_id)
    local finished = {}
    for _, line in ipairs(files.lines(here.root:at "finished")) do finished[line] = (finished[line] or 0) + 1 end
    local done, left = 0, 0
    for _, task in ipairs(here.db:rows([[
        select t.task_index, t.status, t.attempts_count, t.error_message is not null as has_error
        from pgflow.step_tasks t where t.run_id = :'id']], { id = run_id })) do
      local times = finished[run_id .. " " .. task.task_index] or 0
      local expected = times == 1 and { "completed", 1, false } or { "queued", 0, false }
      assert.is_true(times <= 1)
      assert.same(expected, { task.status, task.attempts_count, task.has_error }, "task " .. task.task_index)
      done, left = done + times, left + 1 - times
    end
    assert.equal(TASKS, done + left)
    return done, left
  end

  local function stop_under_load(options, stop)
    local worker = here:worker(options)
    local run_id = start_load()
    local asked = wait.now()
    stop(worker)
    assert.same({ code = 0 }, worker.process:wait(20))
    assert.is_true(wait.now() - asked < 15) -- the grace is 30 s
    worker.process:assert_gone()
    local done, left = assert_all_recorded(run_id)
    assert.is_true(done > 300 and left > 0, ("%d done, %d left"):format(done, left))
    here:worker(options)
    assert.equal("completed", here.db:await_run(run_id, 30).status)
    assert.same({ TASKS, 0 }, { assert_all_recorded(run_id) })
  end

  local LOADED = { args = { "--queue", "load", "--executors", "2", "--concurrency", "100" } }

  it("by SIGTERM under load", function()
    stop_under_load(LOADED, function(worker) worker.process:signal(process.SIGTERM) end)
  end)

  it("by SIGINT under load", function()
    stop_under_load(LOADED, function(worker) worker.process:signal(process.SIGINT) end)
  end)

  it("by Ctrl-C on a terminal under load", function()
    stop_under_load({ args = LOADED.args, terminal = true }, function(worker) worker.process.terminal:type "\3" end)
  end)

  local function long_task(run_id)
    return here.db:row([[
      select t.status, t.attempts_count as attempts, t.error_message is not null as has_error
      from pgflow.step_tasks t where t.run_id = :'id']], { id = run_id })
  end

  local function start_long(input)
    local before = count_lines "begun"
    local run_id = here.db:start("long", input)
    wait.till(function() return count_lines "begun" > before end, 10, "the handler to begin")
    return run_id
  end

  local UNTOUCHED = { status = "queued", attempts = 0, has_error = false }

  it("waits for a short task, and gives a long one back at the end of the grace", function()
    local first = here:worker { args = { "--queue", "long", "--grace", "3s" } }
    local short, long = start_long '{"sleep": 2}', start_long '{"sleep": 60}'
    local asked = wait.now()
    first.process:signal(process.SIGTERM)
    assert.same({ code = 0 }, first.process:wait(20))
    local took = wait.now() - asked
    assert.is_true(took > 2.8 and took < 10, ("took %.1f s"):format(took))
    assert.equal('{"work": true}', here.db:await_run(short).output_text)
    assert.same(UNTOUCHED, long_task(long))
    here:worker { args = { "--queue", "long", "--grace", "0s" } }
    wait.till(function() return long_task(long).status == "started" end, 10, "the task to run elsewhere")
    assert.equal(1, long_task(long).attempts)
  end)

  it("by a closed terminal, and one that drains does not reload", function()
    local worker = here:worker { args = { "--queue", "long", "--executors", "1" }, terminal = true }
    local run_id = start_long '{"sleep": 1}'
    worker.process.terminal:close()
    assert.same({ code = 0 }, worker.process:wait(20))
    assert.equal('{"work": true}', here.db:await_run(run_id).output_text)
    worker = here:worker { args = { "--queue", "long", "--executors", "1" } }
    run_id = start_long '{"sleep": 1}'
    worker.process:signal(process.SIGTERM)
    worker:await_log "draining"
    worker.process:signal(process.SIGHUP)
    assert.same({ code = 0 }, worker.process:wait(20))
    assert.truthy(worker:log("reload_refused")[1].error:find("drains", 1, true))
    assert.equal('{"work": true}', here.db:await_run(run_id).output_text)
  end)

  it("gives back a task that does not yield at the end of the grace", function()
    local worker = here:worker { args = { "--queue", "long", "--grace", "1s", "--executors", "1" } }
    local spin = start_long '{"spin": true}'
    local asked = wait.now()
    worker.process:signal(process.SIGTERM)
    assert.same({ code = 0 }, worker.process:wait(20))
    assert.is_true(wait.now() - asked < 10)
    assert.same(UNTOUCHED, long_task(spin))
  end)

  it("gives everything back at once after a second signal", function()
    local worker = here:worker { args = { "--queue", "long" } }
    local long = start_long '{"sleep": 60}'
    worker.process:signal(process.SIGTERM)
    worker:await_log "draining"
    local asked = wait.now()
    worker.process:signal(process.SIGINT)
    assert.same({ code = 0 }, worker.process:wait(20))
    assert.is_true(wait.now() - asked < 10) -- the grace is 30 s
    assert.same(UNTOUCHED, long_task(long))
  end)

  it("gives back what a claim brings after a second signal", function()
    local worker = here:worker { args = { "--queue", "long" } }
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-c",
        [[begin; lock table pgmq.q_long; select pgflow.start_flow('long', '{"sleep": 60}'); select pg_sleep(4); commit]] },
    }
    wait.till(function()
      return here.db:number "select count(*) from pg_locks l where l.relation = 'pgmq.q_long'::regclass and not l.granted" > 0
    end, 5, "the claim to wait")
    worker.process:signal(process.SIGTERM)
    worker:await_log "draining"
    worker.process:signal(process.SIGTERM)
    assert.same({ code = 0 }, worker.process:wait(10))
    worker.process:assert_gone()
    assert.equal(1, here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'queued' and t.attempts_count = 0")
    holder:wait(5)
    holder:forget()
  end)

  it("goes on heartbeating while it drains, so that its task runs once", function()
    local worker = here:worker { args = { "--queue", "long", "--grace", "20s" } }
    local long = start_long '{"sleep": 7}'
    worker.process:signal(process.SIGTERM)
    here:worker { args = { "--queue", "long" } }
    local oldest = 0
    wait.till(function()
      local age = here.db:row [[
        select extract(epoch from clock_timestamp() - min(w.last_heartbeat_at))::float8 as age
        from pgflow.workers w where w.stopped_at is null]]
      oldest = math.max(oldest, age.age)
      return worker.process:poll()
    end, 30, "the end of the drain", 0.2)
    assert.same({ code = 0 }, worker.process.ended)
    assert.is_true(oldest < 5, ("a heartbeat was %.1f s old"):format(oldest))
    assert.same({ status = "completed", attempts = 1, has_error = false }, long_task(long))
    assert.equal(1, count_lines "begun")
  end)
end)
