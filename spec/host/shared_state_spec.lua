-- What a handler does to its executor, other tasks of that executor do not feel.
local cjson = require "cjson"
local scene = require "spec.support.scene"

local SPOILER = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "spoiler", max_attempts = 1 }
  :step({ slug = "spoil" }, function(what)
    assert(loadstring(what))()
    return "spoiled"
  end)
]]

local INNOCENT = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "innocent", max_attempts = 1 }
  :step({ slug = "use" }, function(input, ctx)
    ctx:log("info", ("used %d"):format(1), { a = 1 })
    local t = setmetatable({}, { __index = function() return 7 end })
    table.insert(t, tostring(luaflow.map({ 1, 2 }, function(n) return n + 1 end)[2]))
    return { t[1], t.anything, pcall(error, "x") }
  end)
]]

-- A project's own methods of strings, as modules of many projects add them.
local RAISER = [[
local luaflow = require "luaflow"
function string.trim(s) return s:match "^%s*(.-)%s*$" end
local methods = getmetatable("").__index
getmetatable("").__index = function(s, key) return type(key) == "number" and s:sub(key, key) or methods[key] end
local slept
local how = {
  plain = function() error(("  plain %d "):format(1):trim(), 0) end,
  table = function() error { code = ("xyz")[2] } end,
  fail = function() luaflow.fail { code = 2 } end,
  retry = function() luaflow.retry_after(0, { code = 3 }) end,
  snooze = function(ctx)
    slept = not slept
    if slept then luaflow.snooze(0) end
    return ctx.attempt
  end,
}
return luaflow.flow { slug = "raiser", max_attempts = 1 }:step({ slug = "raise" }, function(input, ctx) return how[input](ctx) end)
]]

local READER = [[
local luaflow = require "luaflow"
local function count(t) local n = 0 for _ in pairs(t) do n = n + 1 end return n end
return luaflow.flow { slug = "reader", max_attempts = 1 }:map({ slug = "read" }, function(_, ctx)
  local before = count(ctx.env)
  if before % 3 == 0 then ctx:sleep(0.001) end
  return before > 0 and before == count(ctx.env) and ctx.env.SPEC_FOLDER ~= nil
end)
]]

-- Leaves much to the collector.
local CHURN = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "churn", max_attempts = 1, timeout = 60 }:step({ slug = "churn" }, function(_, ctx)
  local n = 0
  for k = 1, 300 do
    local text = table.concat({ ("x"):rep(2000 + k), tostring(k) }, ",")
    n = n + #text + #luaflow.json.decode('{"a":[1,2,3]}').a
    if k % 100 == 0 then ctx:sleep(0.01) end
  end
  for _ = 1, 20000 do n = n + #{ n } end
  return n
end)
]]

-- What the process must be like for a task: its folder, rights of new files, limits, signals, variables, scheduling.
local USER = [[
local luaflow = require "luaflow"
local ffi = require "ffi"
ffi.cdef [=[
int chdir(const char *); unsigned umask(unsigned); int close(int); int open(const char *, int); int setenv(const char *, const char *, int);
int unsetenv(const char *); unsigned ualarm(unsigned, unsigned); void *signal(int, intptr_t); int sigprocmask(int, const void *, void *);
int sigfillset(void *); int getpriority(int, int); int setpriority(int, int, int); int sched_getaffinity(int, size_t, void *);
int sched_setaffinity(int, size_t, const void *); int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long);
long syscall(long, ...); int setrlimit(int, const uint64_t *); int getrlimit(int, uint64_t *); int fesetround(int); int usleep(unsigned);
]=]
local function scheduling()
  local processors = ffi.new "uint64_t[16]"
  ffi.C.sched_getaffinity(0, 128, processors)
  return ("%d %d %s"):format(ffi.C.getpriority(0, 0), ffi.C.prctl(30, 0, 0, 0, 0), ffi.string(processors, 128))
end
local scheduling_before = scheduling()
return luaflow.flow { slug = "user", max_attempts = 1 }:step({ slug = "use" }, function(_, ctx)
  local path = ctx.env.SPEC_FOLDER .. "/of-user"
  assert(io.open "flows/user.lua"):close()
  local file = assert(io.open(path, "w"))
  assert(file:write(("x"):rep(10000)) and file:close())
  local pipe = assert(io.popen("stat -c '%a' " .. path .. "; grep SigBlk /proc/self/status; echo $HOME"))
  local said = pipe:read "*a"
  pipe:close()
  assert(said:find "^644\nSigBlk:%s+0+\n/", said)
  local status = os.execute "true"
  assert(status == 0 or status == true)
  assert(not os.getenv "ADDED" and os.getenv "HOME")
  assert(1 + tonumber "1e-20" == 1)
  assert(scheduling() == scheduling_before, "scheduling")
  return ffi.C.usleep(1000)
end)
]]

local WORKERS = [[
local luaflow = require "luaflow"
local a, b, c = require "flows.spoiler", require "flows.innocent", require "flows.raiser"
return luaflow.worker { queue = "both", flows = {
  luaflow.deploy(a, { routes = { spoil = "both" } }), luaflow.deploy(b, { routes = { use = "both" } }),
  luaflow.deploy(c, { routes = { raise = "both" } }),
  luaflow.deploy(require "flows.reader", { routes = { read = "both" } }),
  luaflow.deploy(require "flows.churn", { routes = { churn = "both" } }),
  luaflow.deploy(require "flows.user", { routes = { use = "both" } }),
} }
]]

describe("an executor whose handlers share it", function()
  local here, worker

  before_each(function()
    here = scene.open {
      ["flows/spoiler.lua"] = SPOILER, ["flows/innocent.lua"] = INNOCENT, ["flows/raiser.lua"] = RAISER, ["flows/reader.lua"] = READER,
      ["flows/user.lua"] = USER, ["flows/churn.lua"] = CHURN,
      ["workers/both.lua"] = WORKERS,
    }
    worker = here:worker { args = { "--executors", "1" }, paths = { "workers" } }
  end)

  after_each(function() here:close() end)

  local function check_innocent(after)
    local run = here.db:complete "innocent"
    assert.equal("completed", run.status, ("after %s: %s"):format(after, run.error_message))
    assert.same({ "3", 7, false, run.output.use[4] }, run.output.use)
  end

  it("survives handlers that remove the standard functions and libraries", function()
    for _, what in ipairs {
      "setmetatable = nil", "tostring, type, pcall, xpcall, error = nil", "string.format, string.match = nil", "table = nil",
      "debug.traceback = nil", "for name in pairs(table) do table[name] = nil end",
      "for name in pairs(_G) do if name ~= '_G' then _G[name] = nil end end",
    } do
      local run = here.db:complete("spoiler", ("%q"):format(what))
      assert.equal("completed", run.status, ("%s: %s"):format(what, run.error_message))
      check_innocent(what)
    end
    assert.same({}, worker:log "executor_died")
  end)

  it("gives each of many tasks its whole environment, once LuaJIT has compiled what reads it", function()
    local elements = {}
    for i = 1, 400 do elements[i] = i end
    local run = here.db:complete("reader", cjson.encode(elements))
    assert.equal(400, #run.output.read)
    for _, whole in ipairs(run.output.read) do assert.is_true(whole) end
  end)

  it("ends the hook that a handler has set with its turn", function()
    for _, hook in ipairs { 'error "hook"', "coroutine.yield()" } do
      here.db:complete("spoiler", ("%q"):format(("debug.sethook(function() %s end, '', 1)"):format(hook)))
      check_innocent(hook)
    end
    assert.same({}, worker:log "executor_died")
  end)

  it("starts programs that die of SIGPIPE and SIGXFSZ as usual", function()
    local run = here.db:complete("spoiler", cjson.encode [[
      local pipe = io.popen "grep SigIgn /proc/self/status"
      local ignored = tonumber(pipe:read "*a":match "(%x+)%s*$", 16)
      pipe:close()
      assert(ignored % 2 ^ 13 < 2 ^ 12 and ignored % 2 ^ 25 < 2 ^ 24, ignored)
    ]])
    assert.equal("completed", run.status, run.error_message)
  end)

  it("refuses metatables for types whose values share one", function()
    local each = [[
      for name, value in pairs { number = 1, boolean = true, ["function"] = print, thread = coroutine.create(print), string = "",
                                 userdata = require("luaflow").null, ["nil"] = false } do
        if name == "nil" then value = nil end
        local ok, said = pcall(debug.setmetatable, value, { __call = print })
        assert(not ok and said:find("the metatable of every " .. name .. " is protected: all tasks share it", 1, true), said)
      end]]
    local run = here.db:complete("spoiler", cjson.encode(each))
    assert.equal("completed", run.status, run.error_message)
    check_innocent "metatables"
  end)

  it("records how tasks end after a handler has gone for the methods of strings and luaflow's metatables", function()
    local index = "string.format, table.concat = nil; pcall(function() local m = %s m.__index = nil m.__index = error end)"
    for _, what in ipairs {
      index:format 'getmetatable("")', index:format 'debug.getmetatable("")', 'pcall(debug.setmetatable, "", nil)',
      "string.format, string.match, string.sub = error, error, error",
      [[local _, e = pcall(require("luaflow").fail, "x") pcall(function() getmetatable(e).__metatable = 1 end)]],
    } do
      local spoiled = here.db:complete("spoiler", ("%q"):format(what))
      assert.equal("completed", spoiled.status, ("%s: %s"):format(what, spoiled.error_message))
      check_innocent(what)
      for how, message in pairs { plain = "plain 1", table = '{"code":"y"}', fail = '{"code":2}', retry = '{"code":3}' } do
        local run = here.db:complete("raiser", ("%q"):format(how))
        assert.same({ "failed", message }, { run.status, (run.error_message:gsub("^.*: ", "")) }, what)
      end
      assert.equal(1, here.db:complete("raiser", '"snooze"').output.raise, what)
    end
    assert.same({}, worker:log "executor_died")
  end)

  it("refuses handlers that assign to a module of luaflow, and keeps its own from those that go round that", function()
    local assign = [[
      local refused, count = 0, 0
      for name, module in pairs(package.loaded) do
        if name:find "^luaflow" and type(module) == "table" then
          for _, key in ipairs(KEYS[name]) do
            local ok, said = pcall(function() module[key] = nil end)
            count, refused = count + 1, refused + (not ok and said:find('cannot assign to "' .. key, 1, true) and 1 or 0)
          end
        end
      end
      assert(refused == count and count > 60, refused .. " of " .. count)]]
    local keys = "KEYS = {} for name, module in pairs(package.loaded) do if name:find '^luaflow' then KEYS[name] = {} " ..
      "for key in pairs(type(module) == 'table' and debug.getmetatable(module).__index or {}) do " ..
      "table.insert(KEYS[name], key) end end end "
    local round = "for name, module in pairs(package.loaded) do if name:find '^luaflow%.' and type(module) == 'table' then " ..
      "local inner = debug.getmetatable(module).__index for key in pairs(inner) do inner[key] = nil rawset(module, key, error) end end end"
    for _, what in ipairs { keys .. assign, "require('luaflow.errors').text = nil", round } do
      local spoiled = here.db:complete("spoiler", cjson.encode(what))
      local refused = what:find "^require" ~= nil
      assert.equal(refused and "failed" or "completed", spoiled.status, spoiled.error_message)
      if refused then
        assert.truthy(spoiled.error_message:find('cannot assign to "text" of module luaflow.errors: all tasks', 1, true))
      end
      check_innocent(what)
      local run = here.db:complete("raiser", '"table"')
      assert.same({ "failed", '{"code":"y"}' }, { run.status, run.error_message }, what)
    end
    assert.same({}, worker:log "executor_died")
  end)

  it("survives a handler that forks, and ends the child", function()
    local fork = [[local ffi = require 'ffi' ffi.cdef 'int fork(void); int getpid(void);' FORKED = ffi.C.fork()]]
    local run = here.db:complete("spoiler", ("%q"):format(fork))
    assert.equal("completed", run.status, run.error_message)
    check_innocent "a fork"
    assert.truthy(worker.process:errors():find("a handler forked", 1, true))
    assert.equal(1, here.db:number "select count(*) from pgflow.step_tasks t where t.flow_slug = 'spoiler' and t.claim_no & 1048575 = 1")
  end)

  -- Runs of both begin at once: spoilers and innocents follow each other within the same millisecond.
  local function complete_beside(what)
    local runs = here.db:rows([[
      select (pgflow.start_flow(flow, case flow when 'spoiler' then to_jsonb(:'what'::text) else 'null' end)).run_id, flow
      from unnest(array['user', 'spoiler', 'user', 'user', 'spoiler', 'user', 'user', 'user']) flow]], { what = what })
    for _, run in ipairs(runs) do
      local ended = here.db:await_run(run.run_id, 60)
      assert.equal("completed", ended.status, ("%s after %s: %s"):format(run.flow, what, ended.error_message))
    end
    local user = here.db:complete "user"
    assert.equal("completed", user.status, ("after %s: %s"):format(what, user.error_message))
  end

  it("has what a handler changes of the process put back before another runs", function()
    local C = "local C, ffi = require('ffi').C, require 'ffi' "
    local limit = "local l = ffi.new 'uint64_t[2]' C.getrlimit(%d, l) l[0] = %d assert(C.setrlimit(%d, l) == 0)"
    local changes = {
      { "current folder", "C.chdir '/'" },
      { "file mode mask", "C.umask(63)" },
      { "resource limits", limit:format(7, 4, 7) },
      { "resource limits", limit:format(1, 10, 1) },
      { "blocked signals", "local all = ffi.new 'char[128]' C.sigfillset(all) C.sigprocmask(0, all, nil)" },
      { "signal handlers", "C.signal(17, 1)" },
      { "timers", "C.ualarm(300000, 0)" },
      { "rounding", "C.fesetround(0x800)" },
      { "environment variables", "C.setenv('ADDED', '1', 1) C.unsetenv 'HOME'" },
    }
    for _, change in ipairs(changes) do complete_beside(C .. change[2]) end
    local lines = worker:log "executor_changed"
    assert.is_true(#lines > 0 and #lines <= 2, #lines .. " lines") -- for each step once
    assert.truthy(lines[1].message:find(changes[1][1], 1, true), lines[1].message)
    assert.same({}, worker:log "executor_died")
  end)

  it("is replaced, at the cost of nobody else, once a handler has changed what cannot be put back", function()
    local pid = worker.process.pid
    for what, change in pairs {
      ["descriptors"] = "require('ffi').C.close(1)",
      ["too many open files"] = "local C = require('ffi').C repeat until C.open('/dev/null', 0) < 0",
    } do
      complete_beside(change)
      local lost = worker:log "executor_changed"
      assert.truthy(lost[#lost].message:find(what, 1, true), lost[#lost].message)
      assert.truthy(lost[#lost].message:find("replaced", 1, true), lost[#lost].message)
    end
    assert.same({}, worker:log "executor_died")
    assert.equal(pid, worker.process.pid)
  end)

  -- What needs rights to be put back replaces the executor where they are missing.
  it("keeps what a handler changes of its scheduling from other tasks", function()
    local one = "local one = ffi.new('uint64_t[16]') C.sched_getaffinity(0, 128, one) one[0] = bit.band(one[0], -one[0]) "
    for change, name in pairs {
      ["C.setpriority(0, 0, 19)"] = "scheduling",
      [one .. "C.sched_setaffinity(0, 128, one)"] = "scheduling",
      ["C.prctl(29, 4000000000ULL, 0, 0, 0) C.prctl(1, 0, 0, 0, 0)"] = "process options",
    } do
      local before = #worker:log "executor_changed"
      complete_beside("local C, ffi, bit = require('ffi').C, require 'ffi', require 'bit' " .. change)
      local lines = worker:log "executor_changed"
      assert.is_true(before > 0 or #lines > 0, change)
      if #lines > before then assert.truthy(lines[#lines].message:find(name, 1, true), lines[#lines].message) end
    end
    assert.same({}, worker:log "executor_died")
  end)

  local function churn()
    local runs = here.db:rows "select r.run_id from pgflow.start_flows('churn', array(select to_jsonb(i) from generate_series(1, 8) i)) r"
    assert.equal(8, #runs)
    for _, run in ipairs(runs) do
      local ended = here.db:await_run(run.run_id, 60)
      assert.equal("completed", ended.status, ended.error_message)
    end
  end

  it("keeps the errors and hooks of finalizers from those that run when they are due", function()
    local finalizer = "local function boom() debug.sethook(error, 'l') error 'boom from a finalizer' end local ffi = require 'ffi' "
    for i, what in ipairs {
      "for _ = 1, 50 do local p = newproxy(true) getmetatable(p).__gc = boom end",
      "for _ = 1, 50 do ffi.gc(ffi.new 'int[1]', boom) end",
      "ffi.cdef 'struct finalized { int i; };' local new = ffi.metatype('struct finalized', { __gc = boom }) for _ = 1, 50 do new() end",
      "for _ = 1, 50 do debug.setmetatable(newproxy(true), { __gc = error }) end",
      "for _ = 1, 50 do ffi.gc(ffi.new 'int[1]', function() require('luaflow').fail 'failed by a finalizer' end) end",
    } do
      local run = here.db:complete("spoiler", cjson.encode(finalizer .. what))
      assert.equal("completed", run.status, run.error_message)
      churn()
      if i == 1 then
        local line = worker:await_log "log"
        assert.truthy(line.message:find("finalizer.* raised an error.*: .*boom from a finalizer"), line.message)
        assert.is_nil(line.run)
      end
    end
    assert.same({}, worker:log "executor_died")
  end)

  it("in a finalizer that does not end is replaced, at nobody's cost", function()
    local run = here.db:complete("spoiler", cjson.encode "getmetatable(newproxy(true)).__gc = function() while true do end end")
    assert.equal("completed", run.status, run.error_message)
    churn()
    local deaths = worker:log "executor_died"
    assert.equal(1, #deaths)
    assert.truthy(deaths[1].reason:find("was in a finalizer (__gc or ffi.gc) at [string", 1, true), deaths[1].reason)
    assert.same({}, { deaths[1].blamed, deaths[1].suspected })
  end)
end)
