-- `luaflow worker --watch`: every way in which editors and people change files, and that nothing else makes it reload.
local files = require "spec.support.files"
local lfs = require "lfs"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "watched" }
  :step({ slug = "only" }, function(_, ctx) return { require "deep.down.helper", ctx.env.GREETING or "none" } end)
]]

-- Runs the program in a user namespace that allows no inotify instance, with every account as outside.
local WITHOUT_INOTIFY = [[
#!/bin/sh
set -e
unshare --user sleep 5 &
space=$!
while [ "$(readlink /proc/$space/ns/user)" = "$(readlink /proc/$$/ns/user)" ]; do kill -0 $space; sleep 0.01; done
echo "0 0 4294967295" >/proc/$space/uid_map
echo "0 0 4294967295" >/proc/$space/gid_map
nsenter -t $space -U sh -c 'echo 0 >/proc/sys/user/max_inotify_instances'
exec nsenter -t $space -U %s "$@"
]]

describe("luaflow worker --watch", function()
  local here, host

  before_each(function()
    here = scene.open { ["flows/watched.lua"] = FLOW, ["deep/down/helper.lua"] = "return 1", ["settings/handlers.env"] = "GREETING=one" }
  end)

  after_each(function() here:close() end)

  local function start(options)
    options = options or {}
    options.args = { "--watch", "--watch-settle", "20ms", "--executors", "1", "--env-file", here.root:at "settings/handlers.env" }
    host = here:worker(options)
    wait.pause(0.3)
    assert.same({}, host:log "reloaded")
  end

  local function count(verb)
    return #host:log(verb)
  end

  -- Does something and waits for the reload that it causes; its line in the log.
  local function after(act, verb)
    verb = verb or "reloaded"
    local before = count(verb)
    act()
    return wait.till(function() return host:log(verb)[before + 1] end, 20, verb)
  end

  local function output()
    return table.concat(here.db:complete("watched", "{}").output.only, " ")
  end

  -- As editors do it: a new file takes the name.
  local function rename_save(path, text)
    here.root:write(path .. "~", text)
    assert(os.rename(here.root:at(path .. "~"), here.root:at(path)))
  end

  it("sees files that are written, renamed over, and their folders moved", function()
    start()
    assert.equal("1 one", output())
    for n = 2, 4 do
      local line = after(function() rename_save("deep/down/helper.lua", "return " .. n) end)
      assert.equal("deep/down/helper.lua changed", line.changes)
      assert.equal(n .. " one", output())
    end
    after(function() here.root:write("deep/down/helper.lua", "return 5") end)
    assert.equal("5 one", output())

    local line = after(function()
      assert(os.rename(here.root:at "deep", here.root:at "old"))
      here.root:write("deep/down/helper.lua", "return 6")
    end)
    assert.truthy(line.changes:find("helper.lua", 1, true), line.changes)
    wait.till(function() return output() == "6 one" end, 20, "the new folder's helper")
    after(function() rename_save("deep/down/helper.lua", "return 7") end)
    assert.equal("7 one", output())
  end)

  it("sees new files, deleted files and new folders below new folders", function()
    start()
    local line = after(function() here.root:write("flows/watched2.lua", (FLOW:gsub('"watched"', '"watched"'))) end, "reload_refused")
    assert.truthy(line.error:find("watched2.lua", 1, true), line.error)
    after(function() os.remove(here.root:at "flows/watched2.lua") end, "reload_not_needed")
    after(function() os.remove(here.root:at "deep/down/helper.lua") end)
    local failed = here.db:start("watched", "{}")
    after(function()
      here.root:write("deep/down/helper.lua", "return 2")
    end)
    assert.equal("2 one", here.db:await_run(failed, 40).output.only[1] .. " one")
    after(function() here.root:write("a/b/c/unused.lua", "return 1") end)
    wait.pause(0.3)
    after(function() rename_save("a/b/c/unused.lua", "return 2") end)
  end)

  it("sees a release that is swapped by a link in the middle of the root's path, and one behind that link", function()
    here.root:write("releases/1/.luaflow-root", "")
    here.root:write("releases/1/flows/watched.lua", FLOW)
    here.root:write("releases/1/deep/down/helper.lua", "return 1")
    here.root:write("releases/2/.luaflow-root", "")
    here.root:write("releases/2/flows/watched.lua", FLOW)
    here.root:write("releases/2/deep/down/helper.lua", "return 2")
    local function point(name, target)
      assert(lfs.link(target, here.root:at(name .. "~"), true))
      assert(os.rename(here.root:at(name .. "~"), here.root:at(name)))
    end
    point("newest", "releases/1")
    point("current", "newest")
    start { paths = { here.root:at "current/flows" } }
    assert.equal("1 one", output())
    after(function() point("newest", "releases/2") end)
    assert.equal("2 one", output())
    after(function() point("current", "releases/1") end)
    assert.equal("1 one", output())
    after(function() here.root:write("releases/1/deep/down/helper.lua", "return 3") end)
    assert.equal("3 one", output())
  end)

  it("sees the environment file, and the folder of a linked module", function()
    start()
    after(function() rename_save("settings/handlers.env", "GREETING=two") end)
    assert.equal("1 two", output())
    local line = after(function() os.remove(here.root:at "settings/handlers.env") end, "reload_refused")
    assert.truthy(line.error:find("handlers.env", 1, true), line.error)
    after(function() here.root:write("settings/handlers.env", "GREETING=three") end)
    assert.equal("1 three", output())

    local elsewhere = files.temporary_folder()
    files.write(elsewhere .. "/helper.lua", "return 2")
    after(function()
      os.remove(here.root:at "deep/down/helper.lua")
      assert(lfs.link(elsewhere .. "/helper.lua", here.root:at "deep/down/helper.lua", true))
      wait.pause(0.5)
    end)
    wait.till(function() return output() == "2 three" end, 20, "the linked helper")
    after(function() files.write(elsewhere .. "/helper.lua", "return 3") end)
    assert.equal("3 three", output())
    files.remove(elsewhere)
  end)

  it("takes a burst of saves as few, and ends with what was saved last", function()
    start()
    for n = 1, 300 do
      rename_save("deep/down/helper.lua", "return " .. n)
      if n % 100 == 0 then wait.pause(0.05) end
    end
    wait.till(function() return output() == "300 one" end, 30, "the last save")
    wait.pause(0.5)
    assert.is_true(count "reloaded" <= 8, count "reloaded" .. " reloads")
  end)

  it("does not reload for unchanged bytes, other files, or folders that are left out", function()
    start()
    rename_save("deep/down/helper.lua", "return 1")
    assert(lfs.touch(here.root:at "flows/watched.lua"))
    here.root:write("notes.txt", "x")
    here.root:write(".hidden/x.lua", "return 1")
    here.root:write("node_modules/x.lua", "return 1")
    wait.pause(1)
    assert.equal(0, count "reloaded")
    after(function() here.root:write("deep/down/helper.lua", "return 2") end)
    assert.equal("deep/down/helper.lua changed", host:log("reloaded")[1].changes)
  end)

  it("sees a root that goes away and comes back", function()
    start()
    after(function() assert(os.rename(here.root.path, here.root.path .. ".away")) end, "reload_refused")
    assert.equal("1 one", output())
    wait.pause(2.5)
    assert.equal(1, count "reload_refused")
    after(function() assert(os.rename(here.root.path .. ".away", here.root.path)) end, "reload_not_needed")
    after(function() rename_save("deep/down/helper.lua", "return 2") end)
  end)

  it("tells a problem once, with file and line, and goes on when it is mended", function()
    start()
    local line = after(function() rename_save("flows/watched.lua", FLOW .. "end") end, "reload_refused")
    assert.truthy(line.error:find("flows/watched.lua:4:", 1, true), line.error)
    assert.equal("1 one", output())
    assert(lfs.touch(here.root:at "flows/watched.lua"))
    wait.pause(0.5)
    assert.equal(1, count "reload_refused")
    after(function() rename_save("flows/watched.lua", (FLOW:gsub('"none"', '"no greeting"'))) end)
  end)

  it("compares every 2 s where there are no notifications", function()
    local program = here.root:at "luaflow-without-inotify"
    files.write(program, WITHOUT_INOTIFY:format(process.luaflow()))
    assert.equal(0, os.execute("chmod +x " .. program))
    if process.run({ argv = { program, "--version" } }).code ~= 0 then
      pending "no user namespace of one's own can be had here"
      return
    end
    start { program = program }
    assert.equal(1, count "watching_by_comparing")
    after(function() rename_save("deep/down/helper.lua", "return 2") end)
    assert.equal("2 one", output())
    wait.pause(2.5)
    assert.equal(1, count "reloaded")
  end)
end)
