-- A worker that can open no more files goes on with what it has, says so once, and goes further as soon as it can.
local files = require "spec.support.files"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local function flow(answer)
  return ([[
local luaflow = require "luaflow"
return luaflow.flow { slug = "few" }:step({ slug = "only" }, function() return "%s" end)
]]):format(answer)
end

describe("a worker without descriptors", function()
  local here

  before_each(function() here = scene.open { ["flows/few.lua"] = flow "old" } end)
  after_each(function() here:close() end)

  local function highest(pid)
    local most = 0
    local listed = process.run({ argv = { "ls", ("/proc/%d/fd"):format(pid) } }).out
    for number in listed:gmatch "%d+" do most = math.max(most, tonumber(number)) end
    return most
  end

  local function allow(pid, count)
    local result = process.run { argv = { "prlimit", "--pid", tostring(pid), ("--nofile=%d:1024"):format(count) } }
    assert.equal(0, result.code, result.err)
  end

  local function executor_of(worker)
    for _, pid in ipairs(worker.process:living()) do
      if files.read(("/proc/%d/cmdline"):format(pid)):find "^luaflow%zexecutor" then return pid end
    end
  end

  -- Nothing can be read; or the modules can, but no executor can be started.
  for what, room in pairs { ["the files"] = function() return 3 end, ["an executor"] = function(pid) return highest(pid) + 3 end } do
    it("refuses a reload once, and makes it later: " .. what, function()
      local worker = here:worker { args = { "--executors", "1" } }
      allow(worker.process.pid, room(worker.process.pid))
      here.root:write("flows/few.lua", flow "new")
      worker.process:signal(process.SIGHUP)
      local refused = worker:await_log "reload_refused"
      said.assert_says(refused.error:lower(), "too many open files")
      said.assert_says(refused.hint, "raise the limit (ulimit -n, LimitNOFILE= in a systemd unit)")
      assert.equal('"old"', here.db:complete("few").output_text:match '"old"')
      wait.pause(3.5) -- two further tries
      assert.equal(1, #worker:log "reload_refused")
      worker.process:signal(process.SIGHUP)
      wait.till(function() return #worker:log "reload_refused" == 2 end, 20, "the answer to whoever asks again")
      allow(worker.process.pid, 1024)
      worker:await_log("reloaded", 30)
      assert.equal('"new"', here.db:complete("few").output_text:match '"new"')
    end)
  end

  it("says once that it cannot replace an executor", function()
    local worker = here:worker { args = { "--executors", "1" } }
    allow(worker.process.pid, 3)
    process.send(executor_of(worker), process.SIGKILL)
    said.assert_says(worker:await_log("respawn_failed").hint, "raise the limit")
    wait.pause(2.5)
    assert.equal(1, #worker:log "respawn_failed")
    allow(worker.process.pid, 1024)
    assert.equal('"old"', here.db:complete("few").output_text:match '"old"')
  end)
end)
