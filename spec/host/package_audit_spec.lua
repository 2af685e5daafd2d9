-- The first real flow on this machine's real input, as a user starts it, against what dpkg itself says.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"

describe("the flow package_audit", function()
  local here

  setup(function()
    here = scene.open { ["flows/package_audit.lua"] = files.read "flows/package_audit.lua" }
    here:worker { args = { "--executors", "2" } }
  end)

  teardown(function() here:close() end)

  -- The numbers of installed packages and of their KiB.
  local function ask_dpkg()
    local result = process.run { argv = { "dpkg-query", "-W", "-f", "${db:Status-Status} ${Installed-Size}\n" } }
    assert.equal(0, result.code, result.err)
    local packages, total = 0, 0
    for status, size in result.out:gmatch "(%S+) (%d*)\n" do
      if status == "installed" then packages, total = packages + 1, total + (tonumber(size) or 0) end
    end
    return packages, total
  end

  local function audit(input)
    local result = here:luaflow { "start", "package_audit", input, "--wait" }
    assert.equal(0, result.code, result.err)
    return cjson.decode(result.out).summary, result.err
  end

  local function sum(list, field)
    local total = 0
    for _, each in ipairs(list) do total = total + each[field] end
    return total
  end

  it("sums up to the total of dpkg", function()
    local packages, total = ask_dpkg()
    assert.is_true(packages > 50 and total > 0)
    local summary, progress = audit "null"
    assert.same({ packages, total }, { summary.packages, summary.total_installed_size })
    for _, name in ipairs { "by_section", "by_size_class" } do
      assert.same({ packages, total }, { sum(summary[name], "packages"), sum(summary[name], "installed_size") }, name)
    end
    assert.equal(10, #summary.largest)
    for i = 2, 10 do assert.is_true(summary.largest[i - 1].installed_size >= summary.largest[i].installed_size) end
    assert.truthy(progress:find(("classify: completed, %d tasks"):format(packages), 1, true), progress)
  end)

  it("counts installed packages alone, the largest first", function()
    here.root:write("status", table.concat({
      "Package: small\nStatus: install ok installed\nSection: net\nInstalled-Size: 10\nDescription: one\n of two lines\n .\n Status: no",
      "Package: gone\nStatus: deinstall ok config-files\nSection: net\nInstalled-Size: 5000",
      "Package: large\nStatus: hold ok installed\nSection: contrib/net\nInstalled-Size: 200000",
      "Package: unsized\nStatus: install ok installed",
    }, "\n\n"))
    local summary = audit(cjson.encode { path = here.root:at "status" })
    assert.same({ 3, 200010 }, { summary.packages, summary.total_installed_size })
    local names = {}
    for i, each in ipairs(summary.largest) do names[i] = each.name end
    assert.same({ "large", "small", "unsized" }, names)
    assert.same({ section = "net", packages = 2, installed_size = 200010 }, summary.by_section[1])
  end)

  it("says where there is no package database", function()
    local result = here:luaflow { "start", "package_audit", '{"path": "/nowhere/at/all"}', "--wait" }
    assert.same({ 1, "" }, { result.code, result.out })
    assert.truthy(result.err:find("at step list: ", 1, true) and result.err:find("/nowhere/at/all", 1, true), result.err)
  end)
end)
