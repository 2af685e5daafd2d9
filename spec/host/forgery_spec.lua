-- Executors run the users' code, so none is trusted: what a handler writes to the channel itself harms no other task, no line of
-- the log and no queue; and what it prints without end costs neither the log nor the host.
local cjson = require "cjson.safe"
local files = require "spec.support.files"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local FLOWS = [[
local luaflow = require "luaflow"
local ffi = require "ffi"
ffi.cdef "ssize_t write(int, const void *, size_t); int fcntl(int, int, ...);"

local RESULT, LOG, FLOW_INPUT = 11, 13, 14
local NONE = "\255\255\255\255"

local function u32(number) return ffi.string(ffi.new("uint32_t[1]", number), 4) end
local function u64(number) return ffi.string(ffi.new("uint64_t[1]", number), 8) end
local function f64(number) return ffi.string(ffi.new("double[1]", number), 8) end
local function text(bytes) return u32(#bytes) .. bytes end

local function send(kind, task, payload)
  local frame = u32(#payload) .. u32(kind) .. u64(task) .. payload
  assert(ffi.C.write(3, frame, #frame) == #frame)
end

local acts = {}

function acts.fields(input) send(LOG, 0, "\1" .. text "forged" .. text(input.fields)) end
function acts.log(input, ctx) ctx:log("info", input.text, { said = input.text }) end
function acts.others()
  for number = 1, 50 do
    send(LOG, number, "\1" .. text "forged" .. NONE)
    send(FLOW_INPUT, number, "")
  end
end
function acts.wait(_, ctx) while not io.open(ctx.env.SPEC_FOLDER .. "/go") do ctx:sleep(0.1) end end
function acts.delay(input, ctx)
  local delay = ({ nan = 0 / 0, inf = math.huge, [ "1e20" ] = 1e20 })[input.delay]
  send(RESULT, input.number, "\1" .. NONE .. text "forged" .. NONE .. f64(delay))
  ctx:sleep(1)
end
function acts.hello() for _ = 1, 3 do send(7, 0, text "another") end end
-- Asks for its input again and again, and takes no answer: the executor's loop does not run meanwhile.
function acts.ask(input)
  local ends = os.time() + 6
  ffi.C.fcntl(3, 4, ffi.new("int", 2048)) -- F_SETFL, O_NONBLOCK: a full pipe is tried again
  local frame = u32(0) .. u32(FLOW_INPUT) .. u64(input.number)
  while os.time() < ends do ffi.C.write(3, frame, #frame) end
end
function acts.print(input, ctx)
  local line = ("x"):rep(1000)
  local ends = os.time() + input.seconds
  repeat
    for _ = 1, 100 do
      if input.raw then io.stdout:write(line, "\n") else print(line) end
    end
    ctx:sleep(0)
  until os.time() > ends
end
function acts.speak(_, ctx) ctx:sleep(0.2) print "heard" end

local function act(input, ctx) return acts[input.act](input, ctx) end

return luaflow.worker { queue = "forgers", flows = {
  luaflow.deploy(luaflow.flow { slug = "forge", max_attempts = 2, base_delay = 0, timeout = 30 }:step({ slug = "act" }, act),
    { routes = { act = "forgers" } }),
} }
]]

describe("a frame that a handler forged", function()
  local here, worker

  local function open(...)
    here = scene.open { ["flows/forge.lua"] = FLOWS }
    worker = here:worker { args = { "--queue", "forgers", ... } }
  end

  after_each(function() here:close() end)

  local function start(input) return here.db:start("forge", cjson.encode(input)) end
  local function complete(input) return here.db:await_run(start(input), 30) end

  -- Every line of the log is one JSON object.
  local function assert_whole()
    for line in worker.process:errors():gmatch "[^\n]+" do
      assert.equal("table", type(cjson.decode(line)), line)
    end
  end

  it("writes its fields as JSON only if they are", function()
    open("--executors", "1")
    local broken = { '{"a":1}\n{"verb":"forged_line"}', '{"a":1},"verb":"forged_line"', '{"a":', "", '1}{', "{'a':1}", '{"a":"\xff"}' }
    for _, fields in ipairs(broken) do start { act = "fields", fields = (fields:gsub("\xff", "?")) } end
    here.db:await_runs()
    local found = wait.till(function()
      local lines = worker:log "log"
      return #lines == #broken and lines
    end, 10, "the forged lines")
    assert_whole()
    assert.same({}, worker:log "forged_line")
    for _, line in ipairs(found) do assert.is_truthy(type(line.fields) == "string" or line.fields.a == "?", line.fields) end
  end)

  it("names no task of another executor", function()
    open("--executors", "2", "--concurrency", "8")
    here.db:text [[
      create table public.asked (run_id uuid);
      grant insert on public.asked to public;
      alter function pgflow.run_input(uuid) rename to _run_input;
      create function pgflow.run_input(p_run_id uuid) returns text language plpgsql as $$
      begin
        insert into public.asked values (p_run_id);
        return pgflow._run_input(p_run_id);
      end $$]]
    local waiting = {}
    for i = 1, 4 do waiting[i] = start { act = "wait" } end
    wait.till(function() return here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'started'" == 4 end, 10)
    local forger = start { act = "others" }
    assert.equal("completed", here.db:await_run(forger).status)
    here.root:write("go", "")
    for _, id in ipairs(waiting) do assert.equal("completed", here.db:await_run(id).status) end
    -- The forger shares its executor with two of them.
    local named = {}
    for _, line in ipairs(worker:log "log") do named[line.run or "none"] = true end
    local foreign = 0
    for _, id in ipairs(waiting) do foreign = foreign + (named[id] and 0 or 1) end
    assert.is_true(foreign >= 2, ("%d tasks of the other executor were not named"):format(foreign))
    assert.is_true(named.none)
    assert.is_true(here.db:number "select count(distinct run_id) from public.asked" <= 3)
  end)

  it("hides no task for longer than a day", function()
    open("--executors", "1")
    local number = 0
    for delay, limit in pairs { inf = 86400, ["1e20"] = 86400 } do
      number = number + 1
      local id = start { act = "delay", delay = delay, number = number }
      wait.till(function()
        return here.db:row("select from pgflow.step_tasks t where t.run_id = :'id' and t.error_message = 'forged'", { id = id })
      end, 10, "the forged failure")
      assert.is_true(limit >= here.db:number [[
        select max(extract(epoch from q.vt - clock_timestamp())) from pgmq.q_forgers q]])
    end
    here.db:text "select pgflow.cancel_run(r.run_id) from pgflow.runs r where r.status = 'started'"
  end)

  it("with a delay that is no number ends its executor", function()
    open("--executors", "1")
    local run = complete { act = "delay", delay = "nan", number = 1 }
    assert.is_truthy(worker:await_log("executor_died").reason:find("sent a broken result", 1, true))
    assert.is_truthy(run.status == "completed" or run.status == "failed")
  end)

  it("says hello once", function()
    open("--executors", "1")
    start { act = "hello" }
    assert.is_truthy(worker:await_log("executor_died").reason:find("sent a second hello", 1, true))
  end)

  it("asks without end and takes no answer: the host's memory has a bound, and others are served", function()
    open("--executors", "2")
    here.db:text("select pgflow.start_flow('forge', jsonb_build_object('act', 'ask', 'number', 1, 'padding', repeat('x', 8000000)))")
    wait.pause(3)
    assert.equal("completed", complete({ act = "speak" }).status)
    wait.pause(3)
    local peak = files.read(("/proc/%d/status"):format(worker.process.pid)):match "VmHWM:%s*(%d+)"
    assert.is_true(tonumber(peak) < 400 * 1024, peak .. " kB")
  end)
end)

describe("a handler's words", function()
  local here

  after_each(function() here:close() end)

  -- C1, a line separator, a change of direction, and the end of a line.
  local TEXT = "a\xc2\x9b31mb\xe2\x80\xa8c\xe2\x80\xaed\nlevel=error e"

  it("steer no terminal, neither in the message nor in the fields", function()
    here = scene.open { ["flows/forge.lua"] = FLOWS }
    for _, format in ipairs { "text", "json" } do
      local worker = here:launch { args = { "--queue", "forgers", "--executors", "1", "--log-format", format } }
      wait.till(function() return worker.process:errors():find("running", 1, true) end, 30)
      here.db:complete("forge", cjson.encode { act = "log", text = TEXT }, 60)
      wait.till(function() return worker.process:errors():find("31m", 1, true) end, 10)
      local said = worker.process:errors()
      for _, bytes in ipairs { "\xc2\x9b", "\xe2\x80\xa8", "\xe2\x80\xae" } do assert.is_nil(said:find(bytes, 1, true), said) end
      for _, escape in ipairs { "\\u009b31m", "\\u2028c", "\\u202ed" } do
        local _, count = said:gsub(escape:gsub("\\", "%%\\"), "")
        assert.equal(2, count, escape)
      end
      assert.same({ code = 0 }, worker:stop())
    end
  end)

  for way, raw in pairs { ["ctx:log and print"] = false, ["its standard output"] = true } do
    it("have a limit through " .. way .. ", and what was dropped is counted", function()
      here = scene.open { ["flows/forge.lua"] = FLOWS }
      local worker = here:worker { args = { "--queue", "forgers", "--executors", "2", "--concurrency", "4" } }
      local before = tonumber(files.read(("/proc/%d/status"):format(worker.process.pid)):match "VmRSS:%s*(%d+)")
      local loud = here.db:start("forge", cjson.encode { act = "print", raw = raw, seconds = 3 })
      wait.pause(1)
      local quiet = here.db:complete("forge", '{"act": "speak"}')
      assert.equal("completed", quiet.status)
      assert.equal("completed", here.db:await_run(loud, 30).status)
      local dropped = worker:await_log "dropped_output"
      assert.equal("warn", worker:log("drops_output")[1].level)
      assert.is_truthy(dropped.message:find("^%d+ log lines with %d+ bytes were dropped: more than 1 MB at once, or 64 kB/s"))
      local size = #worker.process:errors()
      assert.is_true(size < 4e6, ("%d bytes were logged"):format(size))
      local after = tonumber(files.read(("/proc/%d/status"):format(worker.process.pid)):match "VmRSS:%s*(%d+)")
      assert.is_true(after - before < 30000, ("the host grew by %d kB"):format(after - before))
      local heard = 0
      for _, verb in ipairs { "log", "stdout" } do
        for _, line in ipairs(worker:log(verb)) do if line.message == "heard" then heard = heard + 1 end end
      end
      assert.equal(1, heard)
      print(("# %s: %.1f MB logged, dropped: %s"):format(way, size / 1e6, dropped.message))
    end)
  end
end)
