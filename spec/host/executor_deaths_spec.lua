-- Executors that end while the handler that did it is suspended: nobody is blamed at first, then the suspects run alone.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local FLOWS = [[
local luaflow = require "luaflow"
local ffi = require "ffi"
ffi.cdef [=[
int timer_create(int, const int *, void **); int timer_settime(void *, int, const long *, void *);
int getpid(void); int close(int); void *malloc(size_t); void *memset(void *, int, size_t);
]=]

local acts = {}

-- The executor gets this signal after so many nanoseconds, whatever it runs by then.
local function order(signal, seconds, nanoseconds)
  local timer = ffi.new "void *[1]"
  assert(ffi.C.timer_create(1, ffi.new("int[16]", { 0, 0, signal }), timer) == 0)
  assert(ffi.C.timer_settime(timer[0], 0, ffi.new("long[4]", { 0, 0, seconds, nanoseconds }), nil) == 0)
end

function acts.quick() return "done" end
function acts.wait(_, ctx)
  while not io.open(ctx.env.SPEC_FOLDER .. "/go") do ctx:sleep(0.05) end
end
function acts.alarm(_, ctx) order(14, 0, 3e8) ctx:sleep(6) end
function acts.plant() order(11, 3, 0) end
function acts.child(_, ctx) os.execute("(sleep 0.3; kill -9 " .. ffi.C.getpid() .. ") &") ctx:sleep(6) end
function acts.close(_, ctx) ffi.C.close(3) ctx:sleep(6) end
function acts.descriptors(_, ctx) for fd = 4, 30 do ffi.C.close(fd) end ctx:sleep(6) end
-- Memory that the collector does not know of, as of a C library.
function acts.malloc(_, ctx)
  for _ = 1, 40 do
    ffi.C.memset(ffi.C.malloc(1e7), 1, 1e7)
    ctx:sleep(0)
  end
  ctx:sleep(6)
end
function acts.stop(_, ctx) ctx:exec { "sh", "-c", "kill -STOP $PPID" } ctx:sleep(6) end
function acts.spin() while true do end end
function acts.hold(_, ctx) repeat until io.open(ctx.env.SPEC_FOLDER .. "/go") end
function acts.leaves(input)
  os.execute(("sleep %d.1 & bash -mc 'sleep %d.2 &'"):format(input.mark, input.mark))
  return "left"
end

local function act(input, ctx)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/begun", "a")
  file:write(input.act, " ", ctx.run_id, "\n")
  file:close()
  return acts[input.act](input, ctx)
end

local function on_queue(options)
  return luaflow.deploy(luaflow.flow(options):step({ slug = "act" }, act), { routes = { act = "deaths" } })
end

return luaflow.worker { queue = "deaths", flows = {
  on_queue { slug = "once", timeout = 60, max_attempts = 1 },
  on_queue { slug = "again", timeout = 60, max_attempts = 2, base_delay = 0 },
  on_queue { slug = "short", timeout = 1, max_attempts = 5, base_delay = 0 },
  on_queue { slug = "twice", timeout = 1, max_attempts = 2, base_delay = 0 },
} }
]]

describe("an executor that ends", function()
  local here

  before_each(function() here = scene.open { ["flows/deaths.lua"] = FLOWS } end)

  after_each(function() here:close() end)

  local function worker(...) return here:worker { args = { "--queue", "deaths", "--executors", "1", ... } } end

  local function begun(act, run_id)
    local count = 0
    for _, line in ipairs(files.lines(here.root:at "begun")) do
      if line:find("^" .. act .. " " .. (run_id or "")) then count = count + 1 end
    end
    return count
  end

  local function start(flow, act)
    local before = begun(act)
    local run_id = here.db:start(flow, ('{"act": "%s"}'):format(act))
    wait.till(function() return begun(act) > before end, 20, act .. " to begin")
    return run_id
  end

  local function start_waiting(count)
    local ids = {}
    for i = 1, count do ids[i] = start("once", "wait") end
    return ids
  end

  local function task(run_id)
    return here.db:row([[
      select t.status, t.attempts_count as attempts, t.error_message as error, t.suspicion,
        extract(epoch from t.completed_at - r.started_at)::float8 as latency
      from pgflow.step_tasks t join pgflow.runs r on r.run_id = t.run_id where t.run_id = :'id']], { id = run_id })
  end

  local function assert_innocent(ids)
    here.root:write("go", "")
    for _, id in ipairs(ids) do
      assert.equal("completed", here.db:await_run(id, 30).status)
      assert.equal(1, task(id).attempts)
    end
  end

  -- Two ends that cost nobody anything, and one of its own for each attempt.
  local function fails_alone(act, message, ...)
    local host = worker(...)
    local innocent = start_waiting(3)
    local culprit = here.db:start("again", ('{"act": "%s"}'):format(act))
    local slowest = 0
    wait.till(function()
      local quick = here.db:start("once", '{"act": "quick"}')
      assert.equal("completed", here.db:await_run(quick, 30).status)
      slowest = math.max(slowest, task(quick).latency)
      return task(culprit).status == "failed"
    end, 60, "the culprit to fail", 0.1)
    local found = task(culprit)
    assert.equal(2, found.attempts)
    assert.truthy(found.error:find("^the executor " .. message .. "$"), found.error)
    assert_innocent(innocent)
    assert.is_true(begun(act) <= 4, ("it ran %d times"):format(begun(act)))
    for _, id in ipairs(innocent) do assert.is_true(begun("wait", id) <= 3, "an innocent ran again and again") end
    assert.is_true(slowest < 15, ("others took up to %.1f s"):format(slowest))
    return host, culprit, slowest
  end

  it("by a signal that a suspended handler has ordered is charged to it", function()
    local host, culprit, slowest = fails_alone("alarm", "was killed by SIGALRM %(alarm clock%)")
    local deaths = host:log "executor_died"
    assert.equal(4, #deaths)
    for i = 1, 2 do
      assert.is_nil(deaths[i].blamed)
      assert.truthy(deaths[i].released:find("again.act[0] of run " .. culprit, 1, true), deaths[i].released)
    end
    for i = 3, 4 do
      assert.equal("again.act[0] of run " .. culprit, deaths[i].blamed)
      assert.equal("", deaths[i].released or "")
    end
    print(("# alarm: %d ends; the slowest of the others took %.0f ms"):format(#deaths, slowest * 1000))
  end)

  it("by a child of a suspended handler is charged to that handler", function()
    fails_alone("child", "was killed by SIGKILL %(killed%)")
  end)

  it("since a suspended handler closed its channel is charged to it", function()
    fails_alone("close", ".+") -- its channel is missed by the host, or by the executor itself, which aborts
  end)

  it("since a suspended handler closed the descriptors of its loop is charged to it", function()
    fails_alone("descriptors", "was killed by SIGABRT %(aborted%)")
  end)

  it("for memory that nobody is known to hold is charged to the one that takes it", function()
    fails_alone("malloc", "used more than 200 MB %(%-%-executor%-memory%)", "--executor-memory", "200MB")
  end)

  it("by a signal from outside costs the handler that runs nothing", function()
    local host = worker()
    local hold = start("again", "hold")
    local pid = process.run({ argv = { "pgrep", "-P", host.process.pid } }).out:match "%d+"
    process.run { argv = { "kill", "-TERM", pid } }
    wait.till(function() return begun "hold" == 2 end, 20, "it to begin again")
    assert.equal(2, task(hold).suspicion)
    assert_innocent { hold }
  end)

  it("since a program of a suspended handler has stopped it is charged to that handler", function()
    fails_alone("stop", "was stopped, by a signal such as SIGSTOP or a debugger, for 2 s")
  end)

  it("since it was stopped from outside costs the handler that runs nothing", function()
    local host = worker()
    local hold = start("once", "hold")
    local pid = process.run({ argv = { "pgrep", "-P", host.process.pid } }).out:match "%d+"
    local before = wait.now()
    process.run { argv = { "kill", "-STOP", pid } }
    wait.pause(0.5)
    local quick = here.db:start("once", '{"act": "quick"}')
    wait.pause(0.5)
    assert.equal("queued", task(quick).status)
    wait.till(function() return begun "hold" == 2 end, 20, "it to begin again")
    assert.is_true(wait.now() - before < 10, "late")
    assert.equal(2, task(hold).suspicion)
    assert.is_nil(host:log "executor_died"[1].blamed)
    assert_innocent { hold, quick }
  end)

  it("by a fault that an earlier handler has prepared costs the one that runs nothing", function()
    local host = worker()
    assert.equal("completed", here.db:complete("once", '{"act": "plant"}').status)
    local hold = start("once", "hold")
    wait.till(function() return begun "hold" == 2 end, 30, "it to begin again, alone")
    assert.same({ 1, 4 }, { task(hold).attempts, task(hold).suspicion })
    local deaths = host:log "executor_died"
    assert.same({ 1, "once.act[0] of run " .. hold }, { #deaths, deaths[1].suspected })
    assert.is_nil(deaths[1].blamed)
    assert_innocent { hold }
  end)

  it("is replaced at once, however often", function()
    local host = worker()
    for _ = 1, 4 do here.db:start("again", '{"act": "alarm"}') end
    here.db:await_runs(60)
    assert.equal(4, here.db:number "select count(*) from pgflow.step_tasks t where t.attempts_count = 2 and t.status = 'failed'")
    local deaths = host:log "executor_died"
    assert.is_true(#deaths < 20, ("%d ends"):format(#deaths))
    assert.equal("completed", here.db:complete("once", '{"act": "quick"}', 10).status)
  end)

  it("beside others that are blamed again and again does not end a waiting handler for ever", function()
    worker()
    local innocent = start_waiting(1)
    here.db:start("short", '{"act": "spin"}')
    wait.till(function() return task(innocent[1]).suspicion == 4 and begun "wait" == 5 end, 60, "four ends")
    local again = here.db:start("twice", '{"act": "spin"}')
    here.db:await_run(again, 60)
    assert.equal(5, begun "wait")
    assert_innocent(innocent)
  end)
end)

describe("processes that a handler has started", function()
  it("end with its executor, those that left their process group too", function()
    local here = scene.open { ["flows/deaths.lua"] = FLOWS }
    local host = here:worker { args = { "--queue", "deaths", "--executors", "1" } }
    local mark = 100000 + host.process.pid
    local function count(name)
      return tonumber(process.run({ argv = { "pgrep", "-cxf", ("sleep %d.%s"):format(mark, name) } }).out:match "%d+")
    end
    assert.equal("completed", here.db:complete("once", ('{"act": "leaves", "mark": %d}'):format(mark)).status)
    wait.till(function() return count "1" == 1 and count "2" == 1 end, 10, "them to begin")
    host:stop()
    assert.same({ 0, 0 }, { count "1", count "2" })
    here:close()
  end)
end)
