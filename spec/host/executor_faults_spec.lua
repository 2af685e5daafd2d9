-- Handlers that never yield, crash, or take all memory: the one at fault fails by name, and nobody else notices.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- Three flows with the same handler, which does what its input says, once it has noted that it has begun.
local FLOWS = [[
local luaflow = require "luaflow"
local host = require "luaflow.host"
local ffi = require "ffi"
ffi.cdef "void exit(int); int getpid(void); int getsid(int); int prctl(int, ...); ssize_t readlink(const char *, char *, size_t);"

if io.open(os.getenv "SPEC_FOLDER" .. "/broken") then ffi.cast("int *", 0)[0] = 1 end

local acts = {}
local kept = {}

-- True once the spec lets those that wait or hold go on.
local function may_go()
  local file = io.open(os.getenv "SPEC_FOLDER" .. "/go")
  if file then file:close() end
  return file ~= nil
end

-- Memory that is there: bytes that were written.
local function take(bytes)
  local block = ffi.new("char[?]", bytes)
  ffi.fill(block, bytes, 1)
  kept[#kept + 1] = block
end

function acts.quick() return "done" end
function acts.wait(_, ctx) while not may_go() do ctx:sleep(0.05) end end
function acts.spin() while true do end end
function acts.hold() repeat until may_go() end
function acts.segv() ffi.cast("int *", 0)[0] = 1 end
function acts.exit() ffi.C.exit(0) end
function acts.hog() while true do take(1e6) end end
function acts.hog_text(_, ctx)
  local texts = {}
  while true do
    for _ = 1, 20 do texts[#texts + 1] = ("x"):rep(1e6) .. #texts end
    ctx:sleep(0)
  end
end
function acts.fat(_, ctx)
  for _, mb in ipairs { 250, 100 } do
    for _ = 1, mb do take(1e6) end
    ctx:sleep(0.2)
  end
  ctx:sleep(60)
end
function acts.cycle(_, ctx)
  for _ = 1, 200 do
    local till = host.now() + 0.005
    repeat until host.now() >= till
    ctx:sleep(0.001)
  end
end
function acts.keep(input)
  for _ = 1, input.mb do take(1e6) end
  return ffi.C.getpid()
end
function acts.write(input, ctx)
  ctx:sleep(0.2)
  io.stderr:write("from ", input.name, "\n")
  ctx:sleep(0.2)
end
function acts.look()
  local PR_GET_PDEATHSIG = 2
  local signal, buffer = ffi.new "int[1]", ffi.new("char[?]", 256)
  ffi.C.prctl(PR_GET_PDEATHSIG, signal)
  local stdin = ffi.string(buffer, ffi.C.readlink("/proc/self/fd/0", buffer, 256))
  local names = {}
  for name in ("\0" .. io.open("/proc/self/environ"):read "*a"):gmatch "%z([^=%z]+)=" do names[#names + 1] = name end
  return { pid = ffi.C.getpid(), session = ffi.C.getsid(0), dies_by = signal[0], stdin = stdin, read = io.read(1) == nil,
    names = luaflow.array(names) }
end

local function act(input, ctx)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/begun", "a")
  file:write(input.act, " ", ctx.run_id, "\n")
  file:close()
  return acts[input.act](input, ctx)
end

local function on_queue(options, step)
  return luaflow.deploy(luaflow.flow(options):step({ slug = step }, act), { routes = { [step] = "faults" } })
end

return luaflow.worker { queue = "faults", flows = {
  on_queue({ slug = "short", timeout = 2, max_attempts = 1 }, "nap"),
  on_queue({ slug = "long", timeout = 60, max_attempts = 1 }, "act"),
  on_queue({ slug = "again", timeout = 60, max_attempts = 2, base_delay = 0 }, "act"),
} }
]]

describe("an executor", function()
  local here

  before_each(function() here = scene.open { ["flows/faults.lua"] = FLOWS } end)

  after_each(function() here:close() end)

  local function worker(...)
    return here:worker { args = { "--queue", "faults", "--executors", "1", ... } }
  end

  local function begun(act)
    local count = 0
    for _, line in ipairs(files.lines(here.root:at "begun")) do
      if line:find("^" .. act .. " ") then count = count + 1 end
    end
    return count
  end

  -- Starts a run of the flow and waits until its handler has begun.
  local function start(flow, input)
    local act = input:match '"act": "(.-)"'
    local before = begun(act)
    local run_id = here.db:start(flow, input)
    wait.till(function() return begun(act) > before end, 20, act .. " to begin")
    return run_id
  end

  -- Starts runs whose handlers are suspended until let_go.
  local function start_waiting(count)
    local ids = {}
    for i = 1, count do ids[i] = start("long", '{"act": "wait"}') end
    return ids
  end

  local function let_go() here.root:write("go", "") end

  local function task(run_id)
    return here.db:row([[
      select t.status, t.attempts_count as attempts, t.error_message as error,
        extract(epoch from coalesce(t.completed_at, t.failed_at) - t.started_at)::float8 as took,
        extract(epoch from t.completed_at - r.started_at)::float8 as latency
      from pgflow.step_tasks t join pgflow.runs r on r.run_id = t.run_id where t.run_id = :'id']], { id = run_id })
  end

  -- With is_beginning only the message's beginning is compared.
  local function assert_failed(run_id, message, is_beginning)
    here.db:await_run(run_id, 30)
    local found = task(run_id)
    assert.same({ "failed", 1, message }, { found.status, found.attempts, is_beginning and found.error:sub(1, #message) or found.error })
    return found
  end

  local function assert_innocent(ids)
    for _, id in ipairs(ids) do
      assert.equal("completed", here.db:await_run(id, 30).status)
      assert.equal(1, task(id).attempts)
    end
  end

  it("in an endless loop is ended at the timeout, while other tasks complete and heartbeats go on", function()
    here:worker { args = { "--queue", "faults", "--executors", "2" } }
    local spin = start("short", '{"act": "spin"}')
    local slowest, oldest, count = 0, 0, 0
    wait.till(function()
      local quick = here.db:start("long", '{"act": "quick"}')
      assert.equal("completed", here.db:await_run(quick).status)
      slowest, count = math.max(slowest, task(quick).latency), count + 1
      oldest = math.max(oldest, here.db:number [[
        select extract(epoch from clock_timestamp() - w.last_heartbeat_at)::float8 from pgflow.workers w]])
      return task(spin).status ~= "started"
    end, 20, "the endless loop to be ended", 0.05)
    local found = assert_failed(spin,
      "timed out after 2 s: it never yielded, and was at flows/faults.lua:27, in the function at line 27: is this a loop without an end?")
    assert.is_true(found.took >= 2 and found.took < 2 + 6, ("failed after %.1f s"):format(found.took))
    -- Those that had to wait for it would take 3 s and more.
    assert.is_true(count > 0 and slowest < 1.5, ("%d others, the slowest took %.2f s"):format(count, slowest))
    assert.is_true(oldest < 4, ("a heartbeat was %.1f s old"):format(oldest))
    assert.equal("completed", here.db:complete("long", '{"act": "quick"}').status)
    print(("# endless loop: failed after %.2f s; slowest of %d others %.0f ms"):format(found.took, count, slowest * 1000))
  end)

  it("that a handler holds past another's deadline is killed, and the holder fails", function()
    worker()
    local innocent = start_waiting(2)
    innocent[3] = start("short", '{"act": "wait"}')
    assert_failed(start("long", '{"act": "hold"}'), 'held its executor past the deadline of step "nap": it was at flows/faults.lua:', true)
    let_go()
    assert_innocent(innocent)
    wait.till(function() return begun "wait" == 3 * 2 end, 5)
  end)

  it("answers for a suspended handler once it yields", function()
    local started = worker()
    local nap = start("short", '{"act": "wait"}')
    local hold = start("long", '{"act": "hold"}')
    local function age()
      return here.db:number("select extract(epoch from clock_timestamp() - t.started_at) from pgflow.step_tasks t where t.run_id = :'id'",
        { id = nap })
    end
    wait.till(function() return age() > 3 end, 5, "one second after the deadline, one before the executor is killed")
    assert.equal("started", task(nap).status)
    let_go()
    assert.is_true(assert_failed(nap, "timed out after 2 s", true).took > 3)
    assert_innocent { hold }
    assert.same({}, started:log "executor_died")
  end)

  it("in an endless loop for a task that was taken away is ended too, and nothing is recorded", function()
    local started = worker()
    local spin = start("short", '{"act": "spin"}')
    here.db:text "update pgflow.step_tasks set claim_no = claim_no + 1"
    started:await_log "lost_task"
    started:await_log "executor_died"
    assert.equal("completed", here.db:complete("long", '{"act": "quick"}').status)
    assert.same({}, started:log "attempt_failed")
    assert.equal("started", task(spin).status)
    here.db:text("delete from pgflow.step_tasks t where t.run_id = :'id'", { id = spin })
  end)

  it("that has not yielded for a second gets no new task", function()
    worker()
    local hold = start("long", '{"act": "hold"}')
    wait.pause(1.5)
    local quick = here.db:start("long", '{"act": "quick"}')
    wait.pause(1)
    assert.same({ "started", "queued" }, { task(hold).status, task(quick).status })
    let_go()
    assert_innocent { hold, quick }
  end)

  local function fails_alone(act, message, ...)
    local started = here:worker {
      args = { "--queue", "faults", "--executors", "1", ... },
      env = { ASAN_OPTIONS = (os.getenv "ASAN_OPTIONS" or "") .. ":detect_leaks=0" }, -- which exit would report
    }
    local innocent = start_waiting(3)
    local culprit = here.db:start("again", ('{"act": "%s"}'):format(act))
    assert.equal("failed", here.db:await_run(culprit, 30).status)
    local found = task(culprit)
    assert.same({ 2, message }, { found.attempts, found.error })
    let_go()
    assert_innocent(innocent)
    assert.equal("completed", here.db:complete("long", '{"act": "quick"}').status)
    return #started:log "executor_died", begun(act)
  end

  it("that crashes names the signal", function()
    -- Beside others it can be an innocent, and costs it nothing; then it runs alone.
    assert.same({ 3, 3 }, { fails_alone("segv", "the executor was killed by SIGSEGV (segmentation fault)") })
  end)

  it("that exits by itself has crashed, code 0 included", function()
    assert.same({ 2, 2 }, { fails_alone("exit", "the executor exited with code 0") })
  end)

  it("whose handler takes all memory names the limit", function()
    local message = "the executor used more than 200 MB (--executor-memory)"
    assert.same({ 2, 2 }, { fails_alone("hog", message, "--executor-memory", "200MB") })
  end)

  it("whose handler takes all memory while it yields names the limit", function()
    worker("--executor-memory", "200MB")
    assert_failed(start("long", '{"act": "hog_text"}'), "the executor used more than 200 MB (--executor-memory)")
  end)

  it("whose memory a waiting handler holds does not blame the one that runs", function()
    worker("--executor-memory", "200MB")
    local innocent = start_waiting(2)
    for i = 1, 2 do innocent[2 + i] = start("long", '{"act": "cycle"}') end
    assert_failed(start("long", '{"act": "fat"}'), "the executor used more than 200 MB (--executor-memory)")
    let_go()
    assert_innocent(innocent)
  end)

  it("above its memory finishes what it has and is replaced", function()
    local started = worker("--executor-memory", "200MB")
    local innocent = start_waiting(2)
    local keep = here.db:complete("long", '{"act": "keep", "mb": 220}')
    assert.equal("completed", keep.status)
    started:await_log "executor_full"
    local quick = here.db:start("long", '{"act": "quick"}')
    wait.pause(0.5)
    assert.equal("queued", task(quick).status)
    let_go()
    assert_innocent(innocent)
    assert_innocent { quick }
    assert.equal(2, begun "wait")
    assert.not_equal(keep.output.act, here.db:complete("long", '{"act": "keep", "mb": 1}').output.act)
    assert.same({}, started:log "executor_died")
  end)

  local function pid_of_executor()
    return here.db:complete("long", '{"act": "look"}').output.act.pid
  end

  it("killed from outside while nothing runs costs nobody an attempt", function()
    worker()
    local pid = pid_of_executor()
    local innocent = start_waiting(3)
    process.run { argv = { "kill", "-KILL", pid } }
    wait.till(function() return begun "wait" == 6 end, 20, "all to begin again")
    let_go()
    assert_innocent(innocent)
    assert.equal(6, begun "wait")
  end)

  it("that is stopped is replaced once a task has timed out, at nobody's cost", function()
    worker()
    local pid = pid_of_executor()
    local innocent = start_waiting(1)
    innocent[2] = start("short", '{"act": "wait"}')
    process.run { argv = { "kill", "-STOP", pid } }
    wait.till(function() return begun "wait" == 4 end, 20, "both to begin again")
    let_go()
    assert_innocent(innocent)
  end)

  it("that crashes while it loads again is given more and more time", function()
    local started = worker()
    here.root:write("broken", "")
    assert_failed(here.db:start("long", '{"act": "segv"}'), "the executor was killed by SIGSEGV (segmentation fault)")
    -- The second is started at once, then it takes 1, 2 and 4 s.
    wait.till(function() return #started:log "executor_died" == 4 end, 40, "four to die")
    local at = {}
    for i, line in ipairs(started:log "executor_died") do
      local h, m, s = line.time:match "T(%d+):(%d+):([%d.]+)"
      at[i] = (h * 60 + m) * 60 + s
    end
    local first, second = (at[3] - at[2]) % 86400, (at[4] - at[3]) % 86400
    assert.is_true(first > 0.9 and second > 1.9, ("after %.1f and %.1f s"):format(first, second))
    files.remove(here.root:at "broken")
    assert.equal("completed", here.db:complete("long", '{"act": "quick"}', 30).status)
  end)

  it("has its own session, no input, and none of the host's settings", function()
    local started = here:worker {
      args = { "--queue", "faults" },
      env = { DATABASE_URL = here.db.conninfo, PGAPPNAME = "x", LUAFLOW_GRACE = "5s", SPEC_SEEN = "yes" },
    }
    local look = here.db:complete("long", '{"act": "look"}').output.act
    assert.same({ look.pid, process.SIGKILL, "/dev/null", true }, { look.session, look.dies_by, look.stdin, look.read })
    assert.not_equal(started.process.pid, look.pid)
    local seen = false
    for _, name in ipairs(look.names) do
      assert.is_nil(name:find "^PG" or name:find "^LUAFLOW_" or name:find "^DATABASE_URL$", name)
      seen = seen or name == "SPEC_SEEN"
    end
    assert.is_true(seen)
  end)

  it("has its lines attributed to the handler that wrote them", function()
    local started = worker()
    start_waiting(2)
    local ids = {}
    for _, name in ipairs { "a", "b" } do ids["from " .. name] = start("long", ('{"act": "write", "name": "%s"}'):format(name)) end
    wait.till(function() return #started:log "stderr" == 2 end, 20, "both lines")
    let_go()
    here.db:await_runs()
    local runs = {}
    for _, line in ipairs(started:log "stderr") do runs[line.message] = line.run end
    assert.same(ids, runs)
  end)

  it("in an endless loop ends with its host", function()
    local started = worker()
    start("long", '{"act": "spin"}')
    started.process:kill()
    started.process:assert_gone(5)
    here.db:text "delete from pgflow.step_tasks" -- its recovery is shown elsewhere
  end)

  it("is replaced although the program's file was", function()
    local program = here.root:at "program"
    assert.equal(0, process.run({ argv = { "cp", process.luaflow(), program } }).code)
    here:worker { program = program, args = { "--queue", "faults", "--executors", "1" } }
    files.remove(program)
    files.write(program, "something else")
    assert_failed(here.db:start("long", '{"act": "segv"}'), "the executor was killed by SIGSEGV (segmentation fault)")
    assert.equal("completed", here.db:complete("long", '{"act": "quick"}').status)
  end)
end)
