-- A project of one's own: what `luaflow init` writes passes its specs and is served by `luaflow dev`, with the project's tables.
local lfs = require "lfs"
local files = require "spec.support.files"
local flows = require "spec.support.flows"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local NAMES = '{"names": ["Ada", "Grace"]}'

describe("luaflow init", function()
  local place, project, dev

  setup(function()
    place = flows.root {}
    project = place:at "shop"
    local made = process.run { argv = { process.luaflow(), "init", project } }
    assert.equal(0, made.code, made.err)
  end)

  teardown(function()
    if dev then dev:forget() end
    place:remove()
  end)

  local function options(words, folder)
    local env = { XDG_STATE_HOME = place:at "state", LUAFLOW_LOG_FORMAT = "json", LUAFLOW_LIBRARY = lfs.currentdir() .. "/lua" }
    return { argv = words, cwd = folder or project, env = env }
  end

  local function luaflow(...) return process.run(options { process.luaflow(), ... }) end

  local function start_dev(...)
    dev = process.spawn(options { process.luaflow(), "dev", "--data", place:at "data", ... })
    wait.till(function()
      if dev:poll() then error("dev has ended:\n" .. dev:errors(), 0) end
      return dev:output():find("luaflow dev is ready", 1, true)
    end, 60, "dev to be ready")
  end

  local function stop_dev()
    dev:signal(process.SIGINT)
    local ended, text = dev:wait(30), dev:errors()
    dev:forget()
    dev = nil
    assert.same({ code = 0 }, ended)
    return text
  end

  it("writes a project, and leaves what is there as it is", function()
    local result = process.run(options({ process.luaflow(), "init", "other" }, place.path))
    assert.equal(0, result.code, result.err)
    assert.truthy(result.out:find("other/flows/hello.lua\n", 1, true), result.out)
    assert.truthy(result.out:find("cd other\n.*luaflow dev.*luaflow start hello.*busted spec"), result.out)
    files.write(project .. "/flows/hello.lua", "-- mine")
    result = luaflow "init"
    assert.truthy(result.out:find("./flows/hello.lua: there already, left as it is\n", 1, true), result.out)
    assert.equal("-- mine", files.read(project .. "/flows/hello.lua"))
    files.remove(project .. "/flows/hello.lua")
    assert.equal(0, luaflow("init").code)
  end)

  it("says why it cannot write", function()
    files.write(place:at "file", "")
    local result = process.run(options({ process.luaflow(), "init", "file" }, place.path))
    assert.same({ 2, "luaflow: init: file: Not a directory\n" }, { result.code, result.err })
    assert.equal(2, luaflow("init", "").code)
  end)

  it("writes specs that pass", function()
    local result = process.run(options { "busted", "spec" })
    assert.equal(0, result.code, result.out .. result.err)
    assert.truthy(result.out:find("2 successes / 0 failures / 0 errors", 1, true), result.out)
    assert.equal(0, luaflow("check", "flows").code)
  end)

  it("writes what luaflow dev serves, with the project's tables, each file once", function()
    local function psql(sql)
      local conninfo = dev:output():match "Its database: psql '([^']+)'"
      return process.run(options { "psql", "-XAtq", "-d", conninfo, "-c", sql })
    end
    start_dev()
    local result = luaflow("start", "hello", NAMES, "--wait")
    assert.truthy(result.out:find('"text": "Hello, Ada!\\nHello, Grace!"', 1, true), result.out .. result.err)
    assert.equal(0, psql("insert into public.greetings (name) values ('Ada')").code)
    assert.truthy(stop_dev():find('"sql_applied".-"file":"0001_greetings.sql"'))

    files.write(project .. "/sql/0002_more.sql", "alter table public.greetings add column note text;")
    files.write(project .. "/sql/0001_greetings.sql", "create table public.other (id int);")
    start_dev()
    assert.equal("Ada|", psql("select name, note from public.greetings").out:gsub("\n", ""))
    local text = stop_dev()
    assert.truthy(text:find('"sql_applied".-"file":"0002_more.sql"') and not text:find '"sql_applied".-"0001_greetings.sql"', text)
    assert.truthy(text:find('"sql_changed".-"0001_greetings.sql".-luaflow dev %-%-reset'), text)

    files.write(project .. "/sql/0003_wrong.sql", "create table public.third (id int);\n\nselect nothing;")
    result = luaflow("dev", "--data", place:at "data")
    assert.same({ 1, true }, { result.code, result.err:find('sql/0003_wrong.sql:3: .*column "nothing" does not exist') ~= nil }, result.err)
    for _, name in ipairs { "0002_more", "0003_wrong" } do files.remove(("%s/sql/%s.sql"):format(project, name)) end
    start_dev "--reset"
    assert.equal("0", (psql("select count(*) from public.other").out:gsub("\n", "")))
    stop_dev()
  end)
end)
