-- Runs each file of spec/host, or of another folder, in a process of its own, three at a time:
--   luaflow lua spec/support/run_host_files.lua [FOLDER]
-- What the specs of a file said comes in one piece, as TAP, once the file has ended. The exit code is 0 only if all passed.
local lfs = require "lfs"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local FOLDER = select(2, ...) or "spec/host" -- the first is the context
local LANES = 3

-- These take longest, so they begin: the lanes end at about the same time.
local FIRST = {
  "doctor_troubles", "executor_faults", "reload", "transaction", "database_faults", "doctor", "broken_states", "surroundings",
  "executor_deaths", "host_memory", "query", "chaos", "recovery", "model", "dev_files", "conninfo", "watch", "rollout", "worker", "shapes",
  "stop", "installation", "dev",
}

-- These measure time or the use of a processor, so nothing else may run beside them.
local ALONE = { idle = true }

-- The path of every spec file in the order of their start, and how many of them may run beside others.
local function plan()
  local shared, alone, place = {}, {}, {}
  for i, name in ipairs(FIRST) do place[name] = i end
  for entry in lfs.dir(FOLDER) do
    local name = entry:match "^(.+)_spec%.lua$"
    if name then table.insert(ALONE[name] and alone or shared, name) end
  end
  table.sort(shared, function(a, b)
    local at, bt = place[a] or math.huge, place[b] or math.huge
    if at ~= bt then return at < bt end
    return a < b
  end)
  table.sort(alone)
  return shared, alone
end

local environment = {}
for _, name in ipairs { "LUAFLOW_TEST_DATABASE", "LUAFLOW_TEST_SERVER_LOG", "LUAFLOW_LONG_SPECS" } do
  environment[name] = os.getenv(name)
end

local function start(name)
  local path = ("%s/%s_spec.lua"):format(FOLDER, name)
  local argv = { "sh", "-c", 'exec "$@" 2>&1', "sh", process.luaflow(), "lua", "spec/support/run_host_specs.lua", path }
  return { path = path, from = wait.now(), process = process.spawn { argv = argv, env = environment } }
end

-- Prints what a file's specs said; false unless they ran to their end and passed. A runner that failed by itself is a failed test.
local function tell(spec)
  local said, ended = spec.process:output(), spec.process.ended
  io.write(("# %s: %.0f s\n"):format(spec.path, wait.now() - spec.from), said)
  local failed, all = ("\n" .. said):find "\nnot ok ", said:find "\n1%.%.[1-9]%d*\n"
  if not failed and (ended.code ~= 0 or not all) then
    io.write(("not ok - %s: its runner ended with %s %d%s\n"):format(
      spec.path, ended.code and "exit code" or "signal", ended.code or ended.signal, all and "" or " before its end, or had no tests"))
  end
  io.flush()
  spec.process:forget()
  return ended.code == 0 and all ~= nil
end

-- Runs the files, so many at a time, and tells of each when it has ended; the number of those that did not pass.
local function run(names, lanes)
  local running, at, bad = {}, 0, 0
  repeat
    while #running < lanes and at < #names do
      at = at + 1
      running[#running + 1] = start(names[at])
    end
    for i = #running, 1, -1 do
      if running[i].process:poll() then bad = bad + (tell(table.remove(running, i)) and 0 or 1) end
    end
    wait.pause(0.05)
  until #running == 0 and at == #names
  return bad
end

local shared, alone = plan()
local bad = run(shared, LANES) + run(alone, 1)
if bad > 0 then error(("%d spec files did not pass"):format(bad), 0) end
