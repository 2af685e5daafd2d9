-- Saves a file of the example flows over and over, and takes the time until the log says that the new generation serves.
local cjson = require "cjson"
local files = require "spec.support.files"
local flows = require "spec.support.flows"
local lfs = require "lfs"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local SAVED = "flows/greet_user.lua"
local saves = tonumber(arg[1]) or error "watch-bench: the number of saves is no number"

local contents = {}
for name in lfs.dir "flows" do
  if name:find "%.lua$" then contents["flows/" .. name] = files.read("flows/" .. name) end
end
local root = flows.root(contents)

local function start(words)
  local argv = { process.luaflow() }
  for _, word in ipairs(words) do argv[#argv + 1] = word end
  return process.spawn {
    argv = argv, cwd = root.path, env = { LUAFLOW_LOG_FORMAT = "json", XDG_STATE_HOME = root:at ".state" },
  }
end

local function reloads(child)
  local count = 0
  for line in child:errors():gmatch "[^\n]+" do
    local ok, entry = pcall(cjson.decode, line)
    if ok and entry.verb == "reloaded" and entry.program == "worker greet_user" then count = count + 1 end
  end
  return count
end

local function measure(what, child)
  local took = {}
  for n = 1, saves do
    local before, text = reloads(child), contents[SAVED] .. "-- " .. n .. "\n"
    local saved = wait.now()
    root:write(SAVED .. "~", text)
    assert(os.rename(root:at(SAVED .. "~"), root:at(SAVED)))
    wait.till(function() return reloads(child) > before end, 30, "the reload", 0.002)
    took[n] = (wait.now() - saved) * 1000
    wait.pause(0.3) -- until the other workers have reloaded too
  end
  table.sort(took)
  print(("%s: median %.0f ms, worst %.0f ms of %d saves"):format(what, took[math.ceil(#took / 2)], took[#took], #took))
end

local function run(words, is_ready, act)
  local child = start(words)
  local ok, message = pcall(function()
    wait.till(function() return is_ready(child) or child:poll() end, 60, "the start")
    if child.ended then error(child:errors(), 0) end
    act(child)
  end)
  child:signal(process.SIGTERM)
  child:wait(60)
  child:forget()
  if not ok then error(message, 0) end
end

local function is_dev_ready(child) return child:output():find("is ready", 1, true) end
local function is_database_ready(child) return child:output():find "\n" end
local function is_worker_ready(child) return child:errors():find('"running"', 1, true) end

local ok, message = pcall(function()
  local data = root:at ".data"
  run({ "dev", "flows", "--data", data, "--log-level", "debug" }, is_dev_ready, function(dev)
    measure("luaflow dev, a worker for every queue", dev)
  end)
  run({ "dev", "--database-only", "--data", data }, is_database_ready, function(database)
    local conninfo = database:output():match "[^\n]+"
    local words = { "worker", "--watch", "--watch-settle", "20ms", "--queue", "greet_user", "--database", conninfo, "flows" }
    run(words, is_worker_ready, function(worker) measure("luaflow worker --watch alone", worker) end)
  end)
end)
root:remove()
if not ok then error(message, 0) end
