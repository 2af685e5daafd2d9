-- What workers make of a database whose clock jumps, and of a queue whose messages are taken away. A jump is made by moving all that is
-- stored the other way.
local files = require "spec.support.files"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- Each handler notes that it has begun.
local NAP = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "nap", timeout = 60 }:map({ slug = "each" }, function(seconds, ctx)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/begun", "a")
  file:write(ctx.run_id, " ", ctx.task_index, " ", ctx.attempt, "\n")
  file:close()
  if seconds < 0 and ctx.attempt == 1 then error(luaflow.retry_after(2, "not yet")) end
  ctx:sleep(ctx.attempt == 1 and math.max(seconds, 0) or 0)
  return ctx.attempt
end)
]]

describe("a database", function()
  local here

  before_each(function() here = scene.open { ["flows/nap.lua"] = NAP } end)
  after_each(function() here:close() end)

  local function launch()
    local worker = here:worker { args = { "--executors", "1", "--concurrency", "2" } }
    wait.till(function() -- a jump shows between two heartbeats
      return here.db:number "select count(*) from pgflow.workers w where w.last_heartbeat_at > w.started_at + interval '1 second'" == 1
    end, 20, "the first heartbeat")
    return worker
  end

  local function count_begun()
    return #files.lines(here.root:at "begun")
  end

  local function await_begun(count)
    wait.till(function() return count_begun() == count end, 20, "the handlers to begin")
  end

  local function jump(by)
    here.db:text([[
      begin;
      update pgflow.workers w
      set last_heartbeat_at = w.last_heartbeat_at - :'by'::interval, unbroken_since = w.unbroken_since - :'by'::interval;
      update pgflow.step_tasks t set queued_at = t.queued_at - :'by'::interval, started_at = t.started_at - :'by'::interval;
      update pgmq.q_nap set vt = vt - :'by'::interval, enqueued_at = enqueued_at - :'by'::interval;
      commit]], { by = by })
  end

  it("whose clock goes an hour ahead loses no task of a live worker", function()
    local worker = launch()
    here.db:text "create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true'"
    local run_id = here.db:start("nap", "[13, 13]")
    await_begun(2)
    jump "1 hour"
    assert.equal("completed", here.db:await_run(run_id, 40).status)
    assert.equal(2, count_begun())
    assert.same({}, worker:log "recovered_task")
    local jumps = worker:log "clock_jumped"
    assert.equal(1, #jumps)
    assert.is_true(jumps[1].seconds > 3500 and jumps[1].seconds <= 3601, tostring(jumps[1].seconds))
    here:assert_consistent()
  end)

  it("whose clock is set back hides no dead worker, and no retry waits for it", function()
    local first = launch()
    local dying = here.db:start("nap", "[1000, 1000]")
    await_begun(2)
    local second = launch()
    local retrying = here.db:start("nap", "[-1]")
    await_begun(3)
    first.process:kill()
    jump "-1 hour"
    second:await_log("clock_jumped", 20)
    assert.equal("completed", here.db:await_run(retrying, 30).status)
    here.db:text [[
      create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true';
      update pgflow.workers w
      set unbroken_since = w.unbroken_since - interval '31 seconds', clock_jumped_at = w.clock_jumped_at - interval '31 seconds']]
    assert.equal("completed", here.db:await_run(dying, 30).status)
    local recovered = second:log "recovered_task"
    assert.same({ "dead_worker", "dead_worker" }, { recovered[1].reason, recovered[2].reason })
    here:assert_consistent()
  end)

  it("whose queue is purged gets its messages back", function()
    local worker = launch()
    local first = here.db:start("nap", "[12, 12]")
    await_begun(2)
    local rest = here.db:start("nap", "[0, 0, 0, 0]")
    here.db:text "select pgmq.purge_queue('nap')"
    assert.equal("completed", here.db:await_run(first, 40).status)
    assert.equal("completed", here.db:await_run(rest, 40).status)
    assert.equal(6, count_begun())
    assert.equal(6, worker:await_log("resent_messages", 1).count)
    here:assert_consistent()
  end)
end)
