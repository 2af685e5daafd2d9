-- Workers that die, freeze or are thought dead: their tasks run elsewhere, their late results are refused, nothing is counted twice.
-- Time is saved by letting heartbeats look old; the specs that wait it out run where LUAFLOW_LONG_SPECS is set.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local server = require "spec.support.server"
local wait = require "spec.support.wait"

-- Each handler notes its attempt when it begins and when it has ended.
local NAP = [[
local luaflow = require "luaflow"
local function note(ctx, what)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/" .. what, "a")
  file:write(ctx.run_id, " ", ctx.task_index, " ", ctx.attempt, "\n")
  file:close()
end
return luaflow.flow { slug = "nap", timeout = 3600 }:map({ slug = "each" }, function(seconds, ctx)
  note(ctx, "begun")
  ctx:sleep(ctx.attempt == 1 and seconds or 0.1)
  note(ctx, "ended")
  return ctx.attempt
end)
]]

local MANY = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "many" }:map({ slug = "each" }, function(n, ctx)
  ctx:sleep(0.01)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/ended", "a")
  file:write(ctx.task_index, "\n")
  file:close()
  return n
end)
]]

-- "stubborn" does not yield, so that it cannot be ended, and raises once its run has failed.
local LATE = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "late" }
  :step({ slug = "ends", max_attempts = 1 }, function(_, ctx) ctx:sleep(0.3) error "over" end)
  :step({ slug = "stubborn", max_attempts = 5 }, function()
    local till = os.time() + 3
    while os.time() < till do end
    error "too late"
  end)
]]

local LONG = os.getenv "LUAFLOW_LONG_SPECS" ~= nil

describe("a worker that is gone", function()
  local here

  before_each(function()
    here = scene.open { ["flows/nap.lua"] = NAP, ["flows/many.lua"] = MANY, ["flows/late.lua"] = LATE }
  end)

  after_each(function() here:close() end)

  local function count_lines(name)
    return #files.lines(here.root:at(name))
  end

  local function launch(queue, more)
    local args = { "--queue", queue, "--executors", "1" }
    for _, word in ipairs(more or {}) do args[#args + 1] = word end
    return here:worker { args = args }
  end

  -- What the workers' first lines say: the database's name for one.
  local function id_of(worker)
    return worker:log("loaded")[1].worker
  end

  -- As if the worker had been silent for long and all others had lived for long, on a server that has been up for long.
  local function think_dead(worker)
    here.db:text([[
      create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true';
      update pgflow.workers w set unbroken_since = now() - interval '1 hour' where w.worker_id <> :'id';
      update pgflow.workers w set last_heartbeat_at = now() - interval '31 seconds' where w.worker_id = :'id']], { id = id_of(worker) })
  end

  local function tasks()
    return here.db:rows [[
      select t.status, t.attempts_count as attempts, t.claim_no & 1048575 as claims, t.output from pgflow.step_tasks t
      order by t.task_index]]
  end

  local function start_naps(input, count)
    local run_id = here.db:start("nap", input)
    wait.till(function() return count_lines "begun" == count end, 10, "the handlers to begin")
    return run_id
  end

  it("leaves its task to another that was up before", function()
    local first = launch "nap"
    local run_id = start_naps("[100]", 1)
    local second = launch "nap"
    first.process:kill()
    think_dead(first)
    local from = wait.now()
    assert.equal("completed", here.db:await_run(run_id, 30).status)
    assert.is_true(wait.now() - from < 20) -- a worker looks for such tasks every 10 s
    assert.same({ { status = "completed", attempts = 2, claims = 2, output = 2 } }, tasks())
    assert.equal("dead_worker", second:log("recovered_task")[1].reason)
    here:assert_consistent()
  end)

  it("leaves its tasks to itself, started again", function()
    local numbers = {}
    for i = 1, 2000 do numbers[i] = i end
    local first = launch("many", { "--concurrency", "50" })
    local run_id = here.db:start("many", "[" .. table.concat(numbers, ",") .. "]")
    wait.till(function() return count_lines "ended" > 400 end, 20, "handlers to end")
    first.process:kill()
    first.process:assert_gone(10)
    launch("many", { "--concurrency", "50" })
    think_dead(first)
    assert.equal("completed", here.db:await_run(run_id, 40).status)
    local seen, count = {}, 0
    for _, index in ipairs(files.lines(here.root:at "ended")) do
      if not seen[index] then count = count + 1 end
      seen[index] = true
    end
    assert.equal(2000, count)
    print(("# %d of 2000 ran twice"):format(count_lines "ended" - 2000))
    assert.is_true(count_lines "ended" - 2000 <= 50)
    assert.equal(0, here.db:number "select count(*) from pgmq.q_many")
    here:assert_consistent()
  end)

  it("is refused when it was only frozen", function()
    local first = launch "nap"
    local run_id = start_naps("[1, 100]", 2)
    first.process:signal(process.SIGSTOP)
    local second = launch "nap"
    think_dead(first)
    assert.equal("completed", here.db:await_run(run_id, 30).status)
    assert.equal(2, #second:log "recovered_task")
    first.process:signal(process.SIGCONT)
    wait.till(function()
      return #first:log "refused_late_result" + #first:log "lost_task" == 2
    end, 20, "both late results to be refused")
    assert.same({
      { status = "completed", attempts = 2, claims = 2, output = 2 }, { status = "completed", attempts = 2, claims = 2, output = 2 },
    }, tasks())
    assert.same({}, first:log "draining")
    here:assert_consistent()
  end)

  it("leaves alone a long task of one that lives", function()
    launch "nap"
    launch "nap"
    here.db:text [[
      create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true';
      update pgflow.workers w set unbroken_since = now() - interval '1 hour']]
    assert.equal("[1]", here.db:complete("nap", "[12]", 40).output_text:match "%[1%]")
    assert.same({ 1, 1 }, { count_lines "begun", count_lines "ended" })
  end)

  it("drains, and ends with 1, when the database does not know it any more", function()
    local worker = launch "nap"
    local run_id = start_naps("[4]", 1)
    here.db:text "delete from pgflow.workers"
    worker:await_log("draining", 20)
    assert.same({ code = 1 }, worker.process:wait(20))
    assert.equal("completed", here.db:await_run(run_id, 1).status)
    assert.equal(1, count_lines "begun")
    here:assert_consistent()
  end)

  it("cannot revive a run that has ended", function()
    local worker = launch("late", { "--executors", "2" })
    local run_id = here.db:start "late"
    assert.equal("failed", here.db:await_run(run_id, 10).status)
    wait.till(function() return #worker:log "refused_late_result" + #worker:log "lost_task" > 0 end, 10, "the late failure")
    wait.pause(1)
    assert.same({ "cancelled", "failed" }, {
      here.db:text "select t.status from pgflow.step_tasks t where t.step_slug = 'stubborn'",
      here.db:text "select r.status from pgflow.runs r",
    })
    assert.equal(1, here.db:number "select max(t.attempts_count) from pgflow.step_tasks t")
    here:assert_consistent()
  end)

  local function it_takes_long(name, act)
    if LONG then return it(name, act) end
    pending(name .. " (set LUAFLOW_LONG_SPECS)")
  end

  it_takes_long("leaves a task of an hour to another within 45 s", function()
    local first = launch "nap"
    launch "nap"
    wait.pause(60) -- the second one's heartbeats are unbroken, and the server has settled
    local run_id = here.db:start("nap", "[1000]")
    wait.till(function() return count_lines "begun" == 1 end, 10, "the handler to begin")
    local holder = here.db:text "select t.last_worker_id from pgflow.step_tasks t"
    local owner = id_of(first) == holder and first or here.workers[2]
    owner.process:kill()
    local from = wait.now()
    wait.till(function() return count_lines "begun" == 2 end, 50, "the task to run elsewhere")
    local took = wait.now() - from
    print(("# running elsewhere %.1f s after the kill"):format(took))
    assert.is_true(took < 45)
    assert.equal("completed", here.db:await_run(run_id, 5).status)
    here:assert_consistent()
  end)

  it_takes_long("is refused after a minute of SIGSTOP", function()
    local first = launch "nap"
    wait.pause(1)
    local run_id = start_naps("[20, 300]", 2)
    local second = launch "nap"
    wait.pause(62)
    assert.equal(1, count_lines "ended")
    first.process:signal(process.SIGSTOP)
    local from = wait.now()
    wait.pause(60)
    first.process:signal(process.SIGCONT)
    assert.equal("completed", here.db:await_run(run_id, 20).status)
    print(("# completed within %.1f s of the stop"):format(wait.now() - from))
    assert.equal(1, #second:log "recovered_task")
    wait.till(function() return #first:log "refused_late_result" + #first:log "lost_task" == 1 end, 10, "the refusal")
    assert.same({
      { status = "completed", attempts = 1, claims = 1, output = 1 }, { status = "completed", attempts = 2, claims = 2, output = 2 },
    }, tasks())
    here:assert_consistent()
  end)

  it_takes_long("costs nothing when it was the database that was away for 45 s", function()
    local own = server.open()
    local there = scene.open({ ["flows/nap.lua"] = NAP }, own:database())
    local ok, message = pcall(function()
      for _ = 1, 2 do there:worker { args = { "--executors", "1", "--concurrency", "10" } } end
      there.db:start_all("nap", "[[90], [90], [90, 90], [60, 75]]")
      wait.till(function() return #files.lines(there.root:at "begun") == 6 end, 10, "the handlers to begin")
      wait.pause(10)
      own:stop "immediate"
      wait.pause(45)
      own:start()
      there.db:await_runs(90)
      assert.same({ 6, 6 }, { #files.lines(there.root:at "begun"), #files.lines(there.root:at "ended") })
      assert.equal(4, there.db:number "select count(*) from pgflow.runs r where r.status = 'completed'")
      assert.equal(6, there.db:number "select count(*) from pgflow.step_tasks t where (t.attempts_count, t.claim_no & 1048575) = (1, 1)")
      for _, worker in ipairs(there.workers) do assert.is_true(#worker:log "database_lost" <= 4) end -- one for each reason
      there:assert_consistent()
    end)
    pcall(there.close, there)
    own:close()
    if not ok then error(message, 0) end
  end)
end)
