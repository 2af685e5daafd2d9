-- flows/package_audit.lua on this machine's own packages, as a user runs it.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"

-- The installed packages by dpkg's own account: how many, and the sum of their sizes.
local function dpkg_account()
  local listed = process.run { argv = { "dpkg-query", "-W", "-f", "${db:Status-Status} ${Installed-Size}\\n" } }
  assert.equal(0, listed.code, listed.err)
  local count, total = 0, 0
  for status, size in listed.out:gmatch "(%S+) (%d*)\n" do
    if status == "installed" then count, total = count + 1, total + (tonumber(size) or 0) end
  end
  return count, total
end

local STATUS = [[
Package: alpha
Status: install ok installed
Section: contrib/net
Installed-Size: 10
Architecture: amd64
Description: one
 more: lines

Package: beta
Status: deinstall ok config-files
Section: net
Installed-Size: 1000
Architecture: amd64

Package: gamma
Status: install ok installed
Section: net
Architecture: all]]

describe("package_audit", function()
  local here

  setup(function()
    here = scene.open { ["flows/package_audit.lua"] = files.read "flows/package_audit.lua", ["status"] = STATUS }
    here:worker()
  end)

  teardown(function() here:close() end)

  local function audit(input)
    local result = here:luaflow { "start", "package_audit", input, "--wait" }
    assert.equal(0, result.code, result.err)
    return cjson.decode(result.out).summary, result.err
  end

  it("agrees with dpkg, and shows its progress", function()
    local summary, progress = audit "null"
    local count, total = dpkg_account()
    assert.is_true(count > 50)
    assert.same({ count, total }, { summary.packages, summary.total_installed_size })
    assert.truthy(progress:find("classify: completed, " .. count .. " tasks", 1, true), progress)
    local by_section = 0
    for _, section in ipairs(summary.by_section) do by_section = by_section + section.installed_size end
    assert.equal(total, by_section)
    assert.equal(10, #summary.largest)
    for i = 2, 10 do assert.is_true(summary.largest[i - 1].installed_size >= summary.largest[i].installed_size) end
  end)

  it("reads another database that its input names", function()
    local summary = audit(cjson.encode { path = here.root:at "status" })
    assert.same({ 2, 10 }, { summary.packages, summary.total_installed_size })
    assert.same({ "alpha", "gamma" }, { summary.largest[1].name, summary.largest[2].name })
    local run = here.db:complete("package_audit", '{"path": "/nowhere/at/all"}')
    assert.equal("failed", run.status)
    assert.truthy(run.error_message:find("/nowhere/at/all", 1, true), run.error_message)
  end)
end)
