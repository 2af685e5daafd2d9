-- Cancelled runs: their handlers learn of it, nothing that they still give counts, and those that do not end are ended.
local cjson = require "cjson"
local files = require "spec.support.files"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- Each handler notes when it begins and how it ended. What it does is its element of the run's input.
local LONG = [[
local luaflow = require "luaflow"
local system = require "system"
local function note(ctx, what)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/" .. what, "a")
  file:write(what, "\n")
  file:close()
end
local ways = {}
function ways.asks(ctx)
  while not ctx:cancelled() do ctx:sleep(0.05) end
  note(ctx, "saw")
  return "done"
end
function ways.asks_busily(ctx)
  while not ctx:cancelled() do end
  note(ctx, "saw")
  return "done"
end
function ways.ignores(ctx)
  ctx:sleep(3)
  note(ctx, "raised")
  error "too late"
end
function ways.sleeps(ctx)
  ctx:sleep(600)
  note(ctx, "slept")
end
function ways.is_busy(ctx)
  local till = system.monotime() + 600
  while system.monotime() < till do end
  note(ctx, "ended")
end
return luaflow.flow { slug = "long", max_attempts = 3, timeout = 600 }
  :map({ slug = "each" }, function(way, ctx)
    note(ctx, "begun")
    return ways[way](ctx)
  end)
]]

local SHORT = (LONG:gsub('slug = "long"', 'slug = "short"'):gsub("timeout = 600", "timeout = 4"))

describe("a cancelled run", function()
  local here

  before_each(function() here = scene.open { ["flows/long.lua"] = LONG, ["flows/short.lua"] = SHORT } end)
  after_each(function() here:close() end)

  local function count(name)
    local path = here.root:at(name)
    return files.exists(path) and #files.lines(path) or 0
  end

  -- A worker, and a run whose handlers have begun.
  local function begin(flow, ways)
    local worker = here:worker { args = { "--queue", flow, "--executors", "1", "--concurrency", "20" } }
    local run_id = here.db:start(flow, cjson.encode(ways))
    wait.till(function() return count "begun" == #ways end, 10, "the handlers to begin")
    return worker, run_id
  end

  local function cancel(run_id)
    here.db:text("select status from pgflow.cancel_run(:'id', 'not wanted')", { id = run_id })
  end

  local function assert_cancelled(run_id)
    assert.same({ { status = "cancelled", error_message = "not wanted" } },
      here.db:rows("select status, error_message from pgflow.runs where run_id = :'id'", { id = run_id }))
    assert.equal(0, here.db:number "select count(*) from pgflow.step_tasks where status <> 'cancelled' or output is not null")
    here:assert_consistent()
  end

  for _, way in ipairs { "asks", "asks_busily" } do
    it("is seen by a handler that " .. way, function()
      local worker, run_id = begin("long", { way })
      wait.pause(0.3)
      cancel(run_id)
      local from = wait.now()
      wait.till(function() return count "saw" == 1 end, 10, "the handler to see it", 0.01)
      print(("# seen after %.3f s"):format(wait.now() - from))
      worker:await_log("discarded_result", 10)
      assert.equal("it completed", worker:log("discarded_result")[1].message)
      assert.equal(1, #worker:log "cancelled_task")
      assert_cancelled(run_id)
    end)
  end

  it("stays cancelled when a handler that ignores it raises later", function()
    local worker, run_id = begin("long", { "ignores", "ignores" })
    cancel(run_id)
    wait.till(function() return #worker:log "discarded_result" == 2 end, 15, "both results")
    assert.truthy(worker:log("discarded_result")[1].message:find("flows/long.lua:%d+: too late"))
    assert.equal(2, count "raised")
    assert.same({}, worker:log "ended_cancelled_task")
    assert_cancelled(run_id)
  end)

  it("has handlers that do not end ended after a grace, and the executor serves on", function()
    local worker, run_id = begin("long", { "sleeps", "sleeps" })
    cancel(run_id)
    local from = wait.now()
    wait.till(function() return #worker:log "ended_cancelled_task" == 2 end, 20, "the handlers to be ended")
    assert.is_true(wait.now() - from > 4)
    local again = here.db:start("long", "[]")
    assert.equal("completed", here.db:await_run(again, 10).status)
    assert.equal(0, count "slept")
    assert.same({}, worker:log "executor_died")
    assert_cancelled(run_id)
    assert.same({ code = 0 }, worker:stop()) -- nothing is in flight any more
  end)

  it("has a handler that never yields killed at its deadline, and not before", function()
    local worker, run_id = begin("short", { "is_busy" })
    local from = wait.now()
    cancel(run_id)
    worker:await_log("cancelled_task", 20)
    worker:await_log("executor_died", 20)
    assert.is_true(wait.now() - from > 3)
    assert.same({}, worker:log "attempt_failed")
    assert.same({}, worker:log "refused_late_result")
    assert_cancelled(run_id)
    assert.equal("completed", here.db:await_run(here.db:start("short", "[]"), 20).status)
  end)

  it("forgets tasks that no handler has begun", function()
    local worker = here:worker { args = { "--queue", "long", "--executors", "1", "--concurrency", "1" } }
    local run_id = here.db:start("long", cjson.encode { "sleeps", "sleeps", "sleeps" })
    wait.till(function() return count "begun" == 1 end, 10, "a handler to begin")
    cancel(run_id)
    worker:await_log("ended_cancelled_task", 20)
    assert.equal("completed", here.db:await_run(here.db:start("long", "[]"), 20).status)
    assert.equal(1, count "begun")
    assert_cancelled(run_id)
  end)
end)
