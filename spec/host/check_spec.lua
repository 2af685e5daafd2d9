-- `luaflow check`: every problem of a load at once, by file and line, without a database.
local cjson = require "cjson"
local files = require "spec.support.files"
local flows = require "spec.support.flows"
local lfs = require "lfs"
local process = require "spec.support.process"

local BROKEN = [[
local luaflow = require "luaflow"

return luaflow.flow { slug = "broken", max_atempts = 5 }
  :step({ slug = "first" }, function(input)
    return input
  end)
  :step({ slug = "second", depends_on = { "frist" } }, function(deps)
    return deps
  end)
  :step({ slug = "first" }, function(input)
    return input
  end)
]]

local UNREADABLE = [[
local luaflow = require "luaflow"
local x = = 1
return luaflow.flow { slug = "unreadable" }
]]

local GOOD = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "good" }:step({ slug = "only" }, function() return 1 end)
]]

describe("luaflow check", function()
  local root

  setup(function()
    root = flows.root {
      ["flows/broken.lua"] = BROKEN, ["flows/unreadable.lua"] = UNREADABLE, ["flows/good.lua"] = GOOD, ["notes.txt"] = "",
    }
  end)

  teardown(function() root:remove() end)

  local function check(...)
    return process.run {
      argv = { process.luaflow(), "check", ... }, cwd = root.path,
      env = { DATABASE_URL = "host=/nowhere/at/all", LUAFLOW_DATABASE = "host=/nowhere/at/all" },
    }
  end

  it("ends a file that takes all memory, by name", function()
    local hungry = flows.root { ["flows/hungry.lua"] = "local t = {} for i = 1, 2000 do t[i] = ('x'):rep(1e6 - i) end return #t" }
    finally(function() hungry:remove() end)
    local result = process.run { argv = { process.luaflow(), "check", "--executor-memory", "64MB", "flows" }, cwd = hungry.path }
    assert.same({ 3, "" }, { result.code, result.out })
    assert.equal("luaflow: the executor that loads the modules used more than 64 MB (--executor-memory) while it loaded: "
      .. "it did not finish flows/hungry.lua (module flows.hungry)\n", result.err)
  end)

  it("names all problems of all files, with lines and suggestions", function()
    local result = check "flows"
    assert.equal(3, result.code)
    local lines = {}
    for line in result.out:gmatch "[^\n]+" do lines[#lines + 1] = line end
    local function expect(place, ...)
      for _, line in ipairs(lines) do
        local fits = line:find(place, 1, true)
        for _, word in ipairs { ... } do fits = fits and line:find(word, 1, true) end
        if fits then return end
      end
      error(("no line says %s %s:\n%s"):format(place, table.concat({ ... }, " "), result.out))
    end
    expect("flows/broken.lua:", "max_atempts", "max_attempts")
    expect("flows/broken.lua:", "frist", "first")
    expect("flows/broken.lua:", "duplicate")
    expect("flows/unreadable.lua:2:", "=")
    assert.equal(4, #lines, result.out)
    assert.truthy(result.err:find("4 problems", 1, true), result.err)
  end)

  it("gives each problem as JSON with its file and its line", function()
    local result = check("--json", "flows")
    assert.equal(3, result.code)
    local found = cjson.decode(result.out).problems
    assert.equal(4, #found)
    local at = {}
    for _, problem in ipairs(found) do at[problem.code] = problem.file .. ":" .. problem.line end
    assert.truthy(at.unknown_option:find "^flows/broken.lua:[34]$", at.unknown_option)
    -- The line of the call lies between its name and the end of its handler.
    assert.truthy(at.unknown_dependency:find "^flows/broken.lua:[789]$", at.unknown_dependency)
    local duplicate = at.duplicate_slug or at.duplicate_step
    assert.truthy(duplicate and duplicate:find "^flows/broken.lua:1[0123]$", duplicate)
  end)

  it("names a file that forgot its return, and warns of a link that leads nowhere", function()
    local other = flows.root { ["flows/good.lua"] = GOOD, ["flows/forgot.lua"] = (GOOD:gsub("return ", "local made = ")) }
    assert(lfs.link("/nowhere/at/all.lua", other:at "flows/lost.lua", true))
    local result = process.run { argv = { process.luaflow(), "check", "flows" }, cwd = other.path }
    other:remove()
    assert.equal(3, result.code)
    assert.equal(
      "flows/forgot.lua:2: [no_flow] the file builds a flow and returns nothing (write return before the flow)\n", result.out)
    assert.truthy(result.err:find("warning: flows/lost.lua: the link leads to nothing", 1, true), result.err)
  end)

  it("shows what a module raises, tables too", function()
    local other = flows.root { ["flows/table.lua"] = 'error { code = 7, "x" and nil }' }
    local result = process.run { argv = { process.luaflow(), "check", "flows" }, cwd = other.path }
    other:remove()
    assert.same({ 3, 'flows/table.lua: [load_error] {"code":7}\n' }, { result.code, result.out })
  end)

  it("finds modules below the root alone, wherever it is started, and names the root", function()
    local other = flows.root {
      ["outer_module.lua"] = "return true", ["app/.luaflow-root"] = "", ["app/inside.lua"] = "return true",
      ["app/flows/a.lua"] = 'local x = require "outer_module"\n' .. GOOD, ["app/flows/b.lua"] = 'require "inside"\n' .. GOOD,
    }
    local results = {}
    for i, folder in ipairs { other.path, "/" } do
      results[i] = process.run { argv = { process.luaflow(), "check", other:at "app/flows/a.lua" }, cwd = folder }
    end
    local relative = process.run {
      argv = { process.luaflow(), "check", other:at "app/flows/b.lua" }, cwd = "/", env = { LUA_PATH = "./?.lua;;" },
    }
    other:remove()
    assert.equal(0, relative.code, relative.out)
    for i = 1, 2 do
      assert.same({ 3, "flows/a.lua:1: [module_not_found] module 'outer_module' not found below the root " .. other:at "app"
        .. ", in its folders lua and lua_modules, or in LUA_PATH (install it into the project, `luarocks --tree lua_modules install "
        .. "outer_module`, or on the machine; if this is not the folder of the project, give it with --root DIR, or put an empty "
        .. "file .luaflow-root into it)\n" },
        { results[i].code, results[i].out })
    end
  end)

  it("finds libraries that are installed in the project's lua_modules, and loads none of them as a flow", function()
    local other = flows.root {
      [".luaflow-root"] = "", ["lua_modules/share/lua/5.1/inner/init.lua"] = "return 1", ["lua_modules/plain.lua"] = "return 2",
      ["lua_modules/share/lua/5.1/broken.lua"] = "error 'loaded'",
      ["flows/a.lua"] = 'assert(require "inner" + require "plain" == 3)\n'
        .. 'assert(package.cpath:find("^/[^;]*/lua_modules/lib/lua/5%.1/%?%.so;"), package.cpath)\n' .. GOOD,
    }
    local result = process.run { argv = { process.luaflow(), "check", other.path }, cwd = "/" }
    other:remove()
    assert.equal(0, result.code, result.out .. result.err)
  end)

  it("keeps what modules print apart from its JSON", function()
    local other = flows.root { ["flows/good.lua"] = 'print("loading", 1) io.write "without end"\n' .. GOOD }
    local shell = { "sh", "-c", 'exec "$@" 2>&1', "sh", process.luaflow(), "check", "--json", "flows" }
    local result = process.run { argv = shell, cwd = other.path }
    other:remove()
    local lines = cjson.decode(result.out).output
    table.sort(lines)
    assert.same({ 0, { "loading\t1", "without end" } }, { result.code, lines })
  end)

  it("is content with good flows", function()
    local result = check "flows/good.lua"
    assert.equal(0, result.code, result.err)
    assert.same({ "queue good: ok\n", "" }, { result.out, result.err })
  end)

  it("warns of queues that no worker of the files polls", function()
    local other = flows.root { ["flows/all.lua"] = [[
      local luaflow = require "luaflow"
      local order = luaflow.deploy(luaflow.flow { slug = "order" }:step({ slug = "find" }, print):step({ slug = "price" }, print)
        :step({ slug = "pay" }, print):step({ slug = "send" }, print), { routes = { price = "pricing", pay = "paying", send = "paying" } })
      return { luaflow.worker { queue = "order", flows = { order } }, luaflow.worker { queue = "pricing", flows = { order } } }
    ]] }
    local function run(...) return process.run { argv = { process.luaflow(), "check", ... }, cwd = other.path } end
    local shown, told = run "flows", run("--json", "flows")
    other:remove()
    assert.same({ 0, "queue order: ok\nqueue pricing: ok\n", 0 }, { shown.code, shown.out, told.code })
    assert.equal("luaflow: warning: flow order: no worker of these files polls queue paying, which steps pay, send use\n", shown.err)
    assert.same({ { code = "unpolled_queue", flow = "order", queue = "paying", steps = "pay, send" } }, cjson.decode(told.out).warnings)
  end)

  it("refuses paths that are missing, no Lua, or outside the root", function()
    for _, path in ipairs { "flows/missing.lua", "notes.txt", "/etc" } do
      local result = check("--root", ".", path)
      assert.equal(2, result.code, path)
      assert.truthy(result.err:find(path, 1, true), result.err)
    end
  end)

  describe("without a mark and without --root", function()
    local place
    local WITH_HELPER = 'require "%s"\n' .. GOOD

    setup(function()
      place = files.temporary_folder()
      local function write(path, text)
        files.make_folder((place .. "/" .. path):match "^(.*)/")
        files.write(place .. "/" .. path, text)
      end
      write("helper.lua", "return true")
      write("flows/good.lua", WITH_HELPER:format "helper")
      write("flows/beside.lua", "return true")
      write("single/good.lua", WITH_HELPER:format "beside")
      write("single/beside.lua", "return true")
      write("whole/flows/good.lua", WITH_HELPER:format "flows.beside")
      write("whole/flows/beside.lua", "return true")
      write("home/good.lua", GOOD)
      write("home/.luaflow-root", "")
      write("home/flows/good.lua", GOOD)
      write("home/unrelated/broken.lua", UNREADABLE)
    end)

    teardown(function() files.remove(place) end)

    local function at(folder, words, env)
      local argv = { process.luaflow() }
      for _, word in ipairs(words) do argv[#argv + 1] = word end
      return process.run { argv = argv, cwd = folder, env = env }
    end

    it("the folder above PATH is the root", function()
      for _, case in ipairs {
        { "flows", place }, { place .. "/flows", "/" }, { place .. "/single/good.lua", "/" }, { "good.lua", place .. "/single" },
        { ".", place .. "/single" }, { place .. "/whole", "/" }, { "..", place .. "/whole/flows" },
      } do
        local path, folder = unpack(case)
        local result = at(folder, { "check", path })
        assert.same({ 0, "" }, { result.code, result.err }, path .. " in " .. folder)
      end
    end)

    it("a home folder is not the root, nor is the whole machine", function()
      local home = place .. "/home"
      local env = { HOME = home }
      local loop = place .. "/linked"
      assert(lfs.link("/", loop, true))
      finally(function() os.remove(loop) end)
      assert.same({ 0, "queue good: ok\n", "" }, (function(r) return { r.code, r.out, r.err } end)(at(home, { "check", "flows" }, env)))
      for _, words in ipairs {
        { "check", home }, { "check", "good.lua" }, { "lua", "good.lua" },
        { "worker", "--database", "host=/nowhere", home .. "/good.lua" },
      } do
        local result = at(home, words, env)
        assert.equal(2, result.code, result.err)
        assert.truthy(result.err:find(home .. " cannot be the root, the folder that require starts from: it is a home folder", 1, true),
          result.err)
        assert.truthy(result.err:find("hint: .*%-%-root"), result.err)
      end
      for _, words in ipairs {
        { "check", "--root", "/", "flows" }, { "check", "--root", loop, "flows" }, { "dev", "--root", "/", "flows" },
        { "types", "--root", "//", "flows", "-o", "." }, { "worker", "--database", "host=/nowhere", "--root", "/", "flows" },
        { "lua", "--root", "/", "good.lua" }, { "runs", "--root", "/" },
      } do
        local result = at(home, words, env)
        assert.equal(2, result.code, result.err)
        assert.truthy(result.err:find("it is the whole file system", 1, true), result.err)
      end
      assert.equal(0, at(home, { "check", "--root", ".", "flows" }, env).code)
    end)
  end)
end)
