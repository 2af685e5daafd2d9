local context = require "luaflow.context"
local fake_host = require "spec.support.fake_host"
local flow = require "luaflow.flow"
local luaflow = require "luaflow"
local registry = require "luaflow.registry"
local run = require "luaflow.run"

local STATUS = [[
Package: tiny
Status: install ok installed
Section: net
Installed-Size: 40
Architecture: all
Description: a package
 Installed-Size: 999999 in a description is none

Package: gone
Status: deinstall ok config-files
Section: net
Installed-Size: 5000

Package: held
Status: hold ok installed
Section: contrib/net
Installed-Size: 2000
Architecture: amd64

Package: sizeless
Status: install ok installed

Package: large
Status: install ok installed
Section: libs
Installed-Size: 20480
Architecture: amd64
]]

local handlers = registry.handlers(flow.definition(require "flows.package_audit"))
local host = fake_host.new()
local ctx = context.new(host, { attempt = 1 })

-- What the three steps give for a status file.
local function audit(input)
  local list = handlers.list.fn(input, ctx)
  local classified = {}
  for i, package in ipairs(list) do classified[i] = handlers.classify.fn(package, ctx) end
  return handlers.summary.fn({ classify = luaflow.array(classified) }, ctx), list, classified
end

local function status_file(text)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  return path
end

describe("package_audit", function()
  local path

  before_each(function() path = status_file(STATUS) end)
  after_each(function() os.remove(path) end)

  it("has no problems", function()
    assert.same({}, luaflow.problems(require "flows.package_audit"))
  end)

  it("lists the packages that are installed, whatever they are wanted to be", function()
    local _, list = audit { path = path }
    local names = luaflow.map(list, function(package) return package.name end)
    assert.same({ "tiny", "held", "sizeless", "large" }, names)
  end)

  it("classifies by size and section", function()
    local _, _, classified = audit { path = path }
    assert.same({ "tiny", "medium", "tiny", "large" }, luaflow.map(classified, function(package) return package.size_class end))
    assert.same({ "contrib", "net" }, { classified[2].area, classified[2].section })
    assert.same({ "main", "unknown" }, { classified[3].area, classified[3].section })
  end)

  it("sums up", function()
    local summary = audit { path = path }
    assert.same(4, summary.packages)
    assert.same(40 + 2000 + 20480, summary.total_installed_size)
    assert.same({ section = "libs", packages = 1, installed_size = 20480 }, summary.by_section[1])
    assert.same({ section = "net", packages = 2, installed_size = 2040 }, summary.by_section[2])
    assert.same({ "large", "held", "tiny", "sizeless" }, luaflow.map(summary.largest, function(package) return package.name end))
  end)

  it("shows no more than the ten largest", function()
    local parts = {}
    for i = 1, 25 do parts[i] = ("Package: p%02d\nStatus: install ok installed\nInstalled-Size: %d\n"):format(i, i) end
    local many = status_file(table.concat(parts, "\n"))
    local summary = audit { path = many }
    os.remove(many)
    assert.same(10, #summary.largest)
    assert.same({ "p25", "p16" }, { summary.largest[1].name, summary.largest[10].name })
  end)

  it("copes with a file without packages", function()
    local empty = status_file ""
    local summary, list = audit { path = empty }
    os.remove(empty)
    assert.same("[]", host.encode(list, "output"))
    assert.same(0, summary.total_installed_size)
    assert.truthy(host.encode(summary, "output"):find('"largest":[]', 1, true))
  end)

  it("fails for good without its file", function()
    local outcome = run.task(host, handlers.list, ctx, { path = "/no/such/file" })
    assert.same("permanent", outcome.outcome)
    assert.truthy(outcome.message:find("/no/such/file: No such file", 1, true))
  end)

  it("agrees with dpkg about this machine", function()
    local pipe = io.popen "dpkg-query -W -f '${db:Status-Status} ${Installed-Size}\\n' 2>/dev/null"
    local total = 0
    for size in pipe:read("*a"):gmatch "installed (%d+)" do total = total + tonumber(size) end
    pipe:close()
    if total == 0 then return pending "there is no dpkg here" end
    for _, input in ipairs { luaflow.null, {} } do
      assert.same(total, (audit(input)).total_installed_size)
    end
  end)
end)
