local fake_root = require "spec.support.fake_root"
local loader = require "luaflow.loader"

-- Loads the entries of a root in memory. Without entries: the folder flows.
local function load(sources, entries)
  local root = fake_root.new(sources)
  local result = loader.load {
    files = root.files, require = root.require, read = root.read, root = "/srv/app", entries = entries or { "flows" },
  }
  return result, root
end

-- The problems as "file:line code".
local function problems_of(sources, entries)
  local list = {}
  for i, problem in ipairs(load(sources, entries).problems) do
    list[i] = ("%s:%s %s"):format(tostring(problem.file), tostring(problem.line), problem.code)
  end
  return list
end

local function queues(result)
  local list = {}
  for i, worker in ipairs(result.workers) do list[i] = worker.queue end
  return list
end

local function flow_source(slug)
  return ('local luaflow = require "luaflow"\nreturn luaflow.flow { slug = "%s" }\n  :step({ slug = "s" }, function() end)\n'):format(slug)
end

describe("a call whose result is dropped", function()
  local HEAD = 'local luaflow = require "luaflow"\nlocal flow = luaflow.flow { slug = "a" }:step({ slug = "s" }, print)\n'

  it("is a problem at its place", function()
    local result = load { ["flows/a.lua"] = HEAD .. 'flow:step({ slug = "t" }, print):step({ slug = "u" }, print)\nreturn flow\n' }
    assert.equal(1, #result.problems)
    local problem = result.problems[1]
    assert.same({ "dropped_step", "flows/a.lua", 3, "a", "t" },
      { problem.code, problem.file, problem.line, problem.flow, problem.step })
    assert.truthy(problem.hint:find("flow = flow:step(...)", 1, true))
  end)

  it("is one in deployed flows and workers as well, and each for itself", function()
    local dropped = 'flow:step({ slug = "t" }, print)\nflow:map({ slug = "u" }, print)\n'
    assert.same({ "flows/a.lua:3 dropped_step", "flows/a.lua:4 dropped_step" },
      problems_of { ["flows/a.lua"] = HEAD .. dropped .. "return luaflow.deploy(flow, {})\n" })
    assert.same({ "flows/a.lua:3 dropped_step", "flows/a.lua:4 dropped_step" },
      problems_of { ["flows/a.lua"] = HEAD .. dropped .. 'return luaflow.worker { queue = "a", flows = { flow } }\n' })
  end)

  it("is none where the longer flow is used; where neither is, the flow is not served", function()
    assert.same({}, problems_of { ["flows/a.lua"] = HEAD .. 'flow = flow:step({ slug = "t" }, print)\nreturn flow\n' })
    assert.same({ "flows/a.lua:2 unserved_flow" }, problems_of { ["flows/a.lua"] = HEAD .. 'flow:step({ slug = "t" }, print)\n'
      .. 'return luaflow.flow { slug = "b" }:step({ slug = "s" }, print)\n' })
  end)

  it("leaves a flow without steps to its own problem", function()
    local source = 'local luaflow = require "luaflow"\nlocal flow = luaflow.flow { slug = "a" }\n'
      .. 'flow:step({ slug = "s" }, print)\nreturn flow\n'
    for _, problem in ipairs(load({ ["flows/a.lua"] = source }).problems) do assert.not_equal("dropped_step", problem.code) end
  end)
end)

describe("a load without problems", function()
  it("tells which module it is at", function()
    local told = {}
    local root = fake_root.new {
      ["flows/a.lua"] = 'local s = require "flows.shared"\nreturn s', ["flows/shared.lua"] = flow_source "shared",
    }
    loader.load {
      files = root.files, require = root.require, entries = { "flows/a.lua" },
      loading = function(name, path) told[#told + 1] = name .. " " .. path end,
    }
    assert.same({ "flows.a flows/a.lua", "flows.shared flows/shared.lua", "flows.a flows/a.lua" }, told)
  end)

  it("makes a worker for each queue that its flows are routed to", function()
    local result = load { ["flows/a.lua"] = flow_source "a", ["flows/b.lua"] = flow_source "B" }
    assert.same({}, result.problems)
    assert.same({ "a", "b" }, queues(result))
    assert.same("function", type(result.handlers.a.s.fn))
    assert.same("B", result.workers[2].registry.flows[1].slug)
    assert.same("b", result.workers[2].name)
  end)

  it("lets flows on one queue share its worker, and a flow on several queues be on each", function()
    local result = load { ["flows/all.lua"] = [[
local luaflow = require "luaflow"
local function flow(slug)
  local made = luaflow.flow { slug = slug }:step({ slug = "s" }, print):step({ slug = "t" }, print)
  return made
end
return {
  luaflow.deploy(flow "one", { routes = { s = "shared" } }),
  luaflow.deploy(flow "two", { routes = { s = "shared", t = "shared" } }),
}
]] }
    assert.same({}, result.problems)
    assert.same({ "one", "shared" }, queues(result))
    assert.same(2, #result.workers[2].registry.flows)
    assert.same(1, #result.workers[1].registry.flows)
  end)

  it("takes the workers that files define, and no other for what they serve", function()
    local result = load {
      ["flows/orders.lua"] = flow_source "orders",
      ["flows/deployed.lua"] = 'return { v1 = require("luaflow").deploy(require "flows.orders", { routes = { s = "pricing" } }) }',
      ["flows/worker.lua"] = [[
local luaflow, deployed = require "luaflow", require "flows.deployed"
return luaflow.worker { queue = "pricing", name = "fn", flows = { deployed.v1 } }
]],
    }
    assert.same({}, result.problems)
    assert.same({ "pricing" }, queues(result))
    assert.same("fn", result.workers[1].registry["function"])
  end)

  it("serves the design's example of two versions on two queues", function()
    local sources = {
      ["flows/order_intake.lua"] = flow_source "order_intake",
      ["flows/order_intake_v2.lua"] = flow_source "order_intake_v2",
      ["flows/deployed.lua"] = [[
local luaflow = require "luaflow"
return {
  v1 = luaflow.deploy(require "flows.order_intake", {}),
  v2 = luaflow.deploy(require "flows.order_intake_v2", { alias = "order_intake" }),
}
]],
      ["flows/main_worker.lua"] = [[
local luaflow, deployed = require "luaflow", require "flows.deployed"
return { luaflow.worker { queue = "order_intake_v2", flows = { deployed.v2, luaflow.retain(deployed.v1) } },
         luaflow.worker { queue = "order_intake", flows = { deployed.v2, luaflow.retain(deployed.v1) } } }
]],
    }
    local result = load(sources)
    assert.same({}, result.problems)
    assert.same({ "order_intake", "order_intake_v2" }, queues(result))
    assert.is_true(result.workers[1].registry.flows[1].retained)
    assert.same("order_intake", result.workers[1].registry.flows[2].alias)
  end)

  it("loads each file once, whoever requires it", function()
    local _, root = load {
      ["flows/a.lua"] = 'require "flows.helper" require "flows.b" ' .. flow_source("a"):gsub("\n", " "),
      ["flows/b.lua"] = flow_source "b",
      ["flows/helper.lua"] = "return {}",
    }
    assert.same({ ["flows/a.lua"] = 1, ["flows/b.lua"] = 1, ["flows/helper.lua"] = 1 }, root.counts)
  end)

  it("serves every flow of the entries, those of files that others require too, and of no file that returns nothing of ours", function()
    local result = load {
      ["flows/a.lua"] = flow_source "a",
      ["flows/b.lua"] = 'require "flows.a"\n' .. flow_source "b",
      ["flows/helper.lua"] = "return { answer = 42 }",
      ["flows/nothing.lua"] = "local x = 1",
      ["other/c.lua"] = flow_source "c",
    }
    assert.same({ {}, { "a", "b" } }, { result.problems, queues(result) })
  end)

  it("serves a flow that a file without a flow requires, such as a spec beside it", function()
    local result = load { ["flows/a.lua"] = flow_source "a", ["flows/a_test.lua"] = 'local flow = require "flows.a"\nreturn nil' }
    assert.same({ {}, { "a" } }, { result.problems, queues(result) })
  end)

  it("takes a deployment as retained if any file retains it", function()
    local result = load {
      ["flows/a.lua"] = flow_source "a", ["flows/b.lua"] = flow_source "b",
      ["flows/deployed.lua"] = 'local l = require "luaflow"\nreturn { v1 = l.deploy(require "flows.a", {}), '
        .. 'v2 = l.deploy(require "flows.b", { alias = "a" }) }',
      ["flows/main.lua"] = 'local l, d = require "luaflow", require "flows.deployed"\nreturn { l.retain(d.v1), d.v2 }',
    }
    assert.same({ {}, { "a", "b" } }, { result.problems, queues(result) })
    local served = result.workers[1].registry.flows[1]
    assert.same({ "a", true }, { served.slug, served.retained })
    assert.is_false(result.workers[2].registry.flows[1].retained)
  end)

  it("takes a file that was named itself, even if another requires it", function()
    local result = load({
      ["flows/a.lua"] = flow_source "a",
      ["flows/b.lua"] = 'require "flows.a"\n' .. flow_source "b",
    }, { "flows/a.lua", "flows/b.lua" })
    assert.same({ "a", "b" }, queues(result))
  end)

  it("takes a flow that is named beside its deployment as it is deployed", function()
    local result = load({
      ["flows/a.lua"] = flow_source "a",
      ["flows/deployed.lua"] = 'return { require("luaflow").deploy(require "flows.a", { routes = { s = "q" } }) }',
    }, { "flows/a.lua", "flows/deployed.lua" })
    assert.same({}, result.problems)
    assert.same({ "q" }, queues(result))
  end)

  it("takes the root as an entry, folders in several spellings, init.lua and the folder lua", function()
    local sources = { ["x/init.lua"] = flow_source "x", ["lua/y.lua"] = flow_source "y", ["z.lua"] = flow_source "z" }
    assert.same({ "x", "y", "z" }, queues(load(sources, { "" })))
    assert.same({ "x", "y", "z" }, queues(load(sources, { "." })))
    assert.same({ "x" }, queues(load(sources, { "./x/" })))
    assert.same({ "y" }, queues(load(sources, { "lua/y.lua" })))
  end)

  it("takes nothing that is installed in lua_modules for an entry", function()
    local sources = { ["a.lua"] = flow_source "a", ["lua_modules/share/lua/5.1/lib.lua"] = "error 'loaded'" }
    local result = load(sources, { "" })
    assert.same({ {}, { "a" } }, { result.problems, queues(result) })
  end)

  it("puts require back as it was", function()
    local before = require
    load { ["flows/a.lua"] = flow_source "a", ["flows/bad.lua"] = "error 'x'" }
    assert.equal(before, _G.require)
  end)
end)

describe("problems of a load", function()
  it("are all reported together, with file and line: definitions and syntax", function()
    assert.same({
      "flows/definitions.lua:3 unknown_option",
      "flows/definitions.lua:5 unknown_dependency",
      "flows/definitions.lua:6 duplicate_slug",
      "flows/syntax.lua:2 syntax_error",
    }, problems_of {
      ["flows/definitions.lua"] = [[
local luaflow = require "luaflow"

return luaflow.flow { slug = "bad", max_attempt = 5 }
  :step({ slug = "a" }, function() end)
  :step({ slug = "b", depends_on = { "x" } }, function() end)
  :step({ slug = "a" }, function() end)
]],
      ["flows/syntax.lua"] = "local luaflow = require 'luaflow'\nreturn luaflow.flow { slug = = 'x' }\n",
      ["flows/good.lua"] = flow_source "good",
    })
  end)

  it("leave no workers and no handlers", function()
    local result = load { ["flows/a.lua"] = flow_source "a", ["flows/bad.lua"] = "x =" }
    assert.same({ {}, {} }, { result.workers, result.handlers })
  end)

  it("say what a syntax error is", function()
    local result = load { ["flows/bad.lua"] = "local x\nif x then\n" }
    assert.same("'end' expected (to close 'if' at line 2) near '<eof>'", result.problems[1].message)
  end)

  it("are sorted by file and line", function()
    assert.same({ "flows/a.lua:1 load_error", "flows/b.lua:2 load_error", "flows/c.lua:1 syntax_error" }, problems_of({
      ["flows/c.lua"] = "x = = 1", ["flows/a.lua"] = "error 'x'", ["flows/b.lua"] = "\nerror 'y'",
    }, { "flows/c.lua", "flows/b.lua", "flows/a.lua" }))
  end)

  it("load_error: what a module raises, with the place in it", function()
    local result = load { ["flows/a.lua"] = "local t\nreturn t.x.y" }
    assert.same({
      code = "load_error", file = "flows/a.lua", line = 2, message = "attempt to index local 't' (a nil value)",
      hint = "it is absent: luaflow.get reads a path through what is absent",
    }, result.problems[1])
    assert.same({ code = "load_error", file = "flows/a.lua", message = "no place" },
      load({ ["flows/a.lua"] = "error('no place', 0)" }).problems[1])
    assert.same({
      code = "load_error", file = "flows/a.lua", line = 1, message = "attempt to call global 'reqiure' (a nil value)",
      hint = 'did you mean "require"?',
    }, load({ ["flows/a.lua"] = "return reqiure 'x'" }).problems[1])
    assert.same("load_error", load({ ["flows/a.lua"] = "error { code = 1 }" }).problems[1].code)
    assert.same("load_error", load({ ["flows/a.lua"] = "error(nil)" }).problems[1].code)
  end)

  it("module_not_found: where it is required, with the nearest module", function()
    local result = load { ["flows/a.lua"] = "local x = 1\nlocal y = require 'flows.helpr'", ["flows/helper.lua"] = "return {}" }
    assert.same({
      code = "module_not_found", file = "flows/a.lua", line = 2,
      message = "module 'flows.helpr' not found below the root /srv/app, in its folders lua and lua_modules, or in LUA_PATH "
        .. "(did you mean \"flows.helper\"?)",
    }, result.problems[1])
    assert.same({ "flows/a.lua:1 module_not_found" }, problems_of { ["flows/a.lua"] = "return require 'nowhere'" })
    assert.equal("module 'app.flows.x' not found below the root /srv/app, in its folders lua and lua_modules, or in LUA_PATH "
      .. "(create app/flows/x.lua below the root, or install it into the project, "
      .. "`luarocks --tree lua_modules install app.flows.x`, or on the machine; if this is not the "
      .. "folder of the project, give it with --root DIR, or put an empty file .luaflow-root into it)",
      load({ ["flows/a.lua"] = "local x = require 'app.flows.x'" }).problems[1].message)
  end)

  it("module_not_found: every one of a load at once", function()
    local result = load {
      ["flows/a.lua"] = [[
local one = require 'one'
local two, json = require("two"), require 'cjson'
-- require 'none'
local helper = require 'lib.helper'
local function lazy()
  require 'three'
end
local ok = pcall(require, 'four')
local one_again = require 'one'
return require('luaflow').flow {}]],
      ["lib/helper.lua"] = "local x = 1\nlocal five = require 'five'\nlocal a = require 'flows.b'\nreturn {}",
      ["flows/b.lua"] = "return require 'six'",
      ["lib/other.lua"] = "require 'seven'",
      ["flows/c.lua"] = "return nowhere()",
    }
    local list = {}
    for i, problem in ipairs(result.problems) do
      list[i] = ("%s:%s %s %s"):format(problem.file, tostring(problem.line), problem.code, problem.message:match "'([^']*)'")
    end
    assert.same({
      "flows/a.lua:1 module_not_found one", "flows/a.lua:2 module_not_found two", "flows/b.lua:1 module_not_found six",
      "flows/c.lua:1 load_error nowhere", "lib/helper.lua:2 module_not_found five",
    }, list)
    for _, problem in ipairs(result.problems) do
      assert.truthy(problem.code == "load_error" or problem.message:find("not found below the root /srv/app, in its folders", 1, true))
    end
  end)

  it("load_error: a loop without an end, at its line and after 3 s, and the problems of the other files", function()
    local before = os.clock()
    local found = problems_of {
      ["flows/a.lua"] = "local x = 1\nwhile true do\n  x = x + 1\nend", ["flows/b.lua"] = 'require "flows.a"',
      ["flows/c.lua"] = "return nowhere()",
    }
    assert.is_true(os.clock() - before < 6)
    assert.same({ "flows/c.lua:1 load_error" }, { found[2] })
    assert.truthy(found[1]:find "^flows/a.lua:[23] load_error$", found[1])
    assert.is_nil(debug.gethook())
    assert.is_true(jit.status())
  end)

  it("unloadable_file: how to rename it", function()
    assert.same({ "rename it: flows/r_v2.lua", "require cannot reach this file: its path holds a dot" }, (function()
      local problem = load({ ["flows/r.v2.lua"] = flow_source "a" }).problems[1]
      return { problem.hint, problem.message }
    end)())
  end)

  it("of a file that others require are reported once", function()
    assert.same({ "flows/broken.lua:1 syntax_error" }, problems_of {
      ["flows/a.lua"] = 'require "flows.broken"\n' .. flow_source "a",
      ["flows/b.lua"] = 'require "flows.broken"\n' .. flow_source "b",
      ["flows/broken.lua"] = "x = = 1",
    })
    assert.same({ "lua/broken.lua:1 load_error" }, problems_of {
      ["flows/a.lua"] = 'require "broken"', ["flows/b.lua"] = 'require "broken"', ["lua/broken.lua"] = "error {}" and "error 'x'",
    })
  end)

  it("of a file outside the entries say which one was loading", function()
    local result = load { ["flows/a.lua"] = 'require "broken"', ["broken.lua"] = "\nerror 'x'" }
    assert.same({ "broken.lua", 2, "while loading flows/a.lua" },
      { result.problems[1].file, result.problems[1].line, result.problems[1].hint })
  end)

  it("may be caught by the file that requires, but not hidden", function()
    local sources = { ["flows/a.lua"] = 'pcall(require, "broken")\n' .. flow_source "a", ["broken.lua"] = "error 'x'" }
    assert.same({ "a" }, queues(load(sources)))
    assert.same({ "broken.lua:1 load_error" }, problems_of(sources, { "flows", "broken.lua" }))
    assert.same({ "a" }, queues(load { ["flows/a.lua"] = 'pcall(require, "nowhere")\n' .. flow_source "a" }))
  end)

  it("require_loop: names the files of the loop, once", function()
    local result = load { ["flows/a.lua"] = 'local x = require "flows.b"', ["flows/b.lua"] = '\nlocal y = require "flows.a"' }
    assert.same(1, #result.problems)
    local problem = result.problems[1]
    assert.same({ "require_loop", "flows/b.lua", 2 }, { problem.code, problem.file, problem.line })
    assert.truthy(problem.message:find("flows/a.lua -> flows/b.lua -> flows/a.lua", 1, true))
  end)

  it("missing_file", function()
    assert.same({ "flows/none.lua:nil missing_file" },
      problems_of({ ["flows/a.lua"] = flow_source "a" }, { "flows/none.lua", "flows/a.lua" }))
    assert.same({ "none:nil missing_file" }, problems_of({ ["nonesuch.lua"] = "" }, { "none" }))
  end)

  it("unloadable_file: require cannot reach it", function()
    assert.same({ "flows/a.b.lua:nil unloadable_file" }, problems_of { ["flows/a.b.lua"] = flow_source "a" })
    assert.same({ "luaflow.lua:nil unloadable_file" }, problems_of({ ["luaflow.lua"] = flow_source "x" }, { "luaflow.lua" }))
  end)

  it("no_flow: nothing to serve, or a named file that returns nothing of ours", function()
    assert.same({ "nil:nil no_flow" }, problems_of { ["flows/helper.lua"] = "return {}" })
    assert.same({ "flows/helper.lua:nil no_flow" },
      problems_of({ ["flows/helper.lua"] = "return {}", ["flows/a.lua"] = flow_source "a" }, { "flows/helper.lua", "flows/a.lua" }))
  end)

  it("names the first file that returned nothing and that none requires", function()
    local sources = {
      ["flows/a.lua"] = 'require "flows.b"\n' .. flow_source "a", ["flows/b.lua"] = "x = 1; return true", ["flows/c.lua"] = "return {}",
    }
    assert.is_nil(load(sources).silent)
    sources["flows/d.lua"], sources["flows/e.lua"] = "", ""
    assert.equal("flows/d.lua", load(sources).silent)
  end)

  it("no_flow: a file that builds a flow and forgets to return it, whoever requires it", function()
    local forgotten = 'local l = require "luaflow"\nlocal f = l.flow { slug = "a" }:step({ slug = "s" }, print)\n'
    local result = load { ["flows/a.lua"] = forgotten, ["flows/b.lua"] = flow_source "b" }
    assert.same({ {
      code = "no_flow", file = "flows/a.lua", line = 2, message = "the file builds a flow and returns nothing",
      hint = "write return before the flow",
    } }, result.problems)
    assert.same({ "flows/a.lua:2 no_flow" },
      problems_of { ["flows/a.lua"] = forgotten .. "return { f.slug }", ["flows/b.lua"] = flow_source "b" })
    assert.same({ "flows/a.lua:2 no_flow" },
      problems_of { ["flows/a.lua"] = forgotten, ["flows/b.lua"] = 'require "flows.a"\n' .. flow_source "b" })
    assert.same({ "flows/a.lua:2 no_flow" }, problems_of {
      ["flows/a.lua"] = forgotten .. "return { slug = f.slug }", ["flows/b.lua"] = 'require "flows.a"\n' .. flow_source "b",
    })
  end)

  it("empty_module: a file without code that another requires", function()
    local flow = 'local helper = require "lib.helper"\n' .. flow_source "a"
    local _, root = load { ["flows/a.lua"] = flow, ["lib/helper.lua"] = "" }
    assert.equal(1, root.counts["lib/helper.lua"])
    local problem = load({ ["flows/a.lua"] = flow, ["lib/helper.lua"] = "-- Helps.\n\n" }).problems[1]
    assert.same({
      code = "empty_module", file = "lib/helper.lua", message = "module 'lib.helper' has no code, but another file requires it",
      hint = "was it copied in part? copy it again, or remove the require",
    }, problem)
    assert.same({}, problems_of { ["flows/a.lua"] = flow_source "a", ["lib/helper.lua"] = "" })
  end)

  it("no_value: a required file that is cut at the end of a statement, or returns nil or false", function()
    local flow = 'local helper = require "lib.helper"\n' .. flow_source "a"
    local function problems_with(text) return problems_of { ["flows/a.lua"] = flow, ["lib/helper.lua"] = text } end
    assert.same({
      code = "no_value", file = "lib/helper.lua",
      message = "module 'lib.helper' returns nothing, so require gives true: was it copied in part?",
      hint = "write `return` of what it provides at its end; `return true` if it provides nothing",
    }, load({ ["flows/a.lua"] = flow, ["lib/helper.lua"] = "local helper = {}\nfunction helper.f() end\n" }).problems[1])
    local without = { "extra = 1", "return", "return nil", "local x = {}\nreturn x.y", "return false", "if false then return {} end" }
    for _, text in ipairs(without) do
      assert.same({ "lib/helper.lua:nil no_value" }, problems_with(text), text)
    end
    for _, text in ipairs { "return true", "return not nil", "return {}", "return 0", "package.loaded[...] = { 1 }" } do
      assert.same({}, problems_with(text), text)
    end
    assert.same({ "lib/b.lua:nil no_value" }, problems_of {
      ["flows/a.lua"] = flow, ["lib/helper.lua"] = 'return require "lib.b"', ["lib/b.lua"] = "local b = {}",
    })
    assert.same({}, problems_of { ["flows/a.lua"] = flow_source "a", ["lib/helper.lua"] = "local helper = {}" })
  end)

  it("no_value: is not said of modules outside the root, and the searchers stay as they were", function()
    local before = {}
    for i, find in ipairs(package.loaders) do before[i] = find end
    local source = 'table.insert(package.loaders, function(name) return name == "own.thing" and function() end or nil end)\n'
      .. 'local thing = require "own.thing"\n' .. flow_source "a"
    assert.same({}, problems_of { ["flows/a.lua"] = source })
    assert.equal(#before + 1, #package.loaders)
    package.loaders[#package.loaders], package.loaded["own.thing"] = nil, nil
    for i, find in ipairs(before) do assert.equal(find, package.loaders[i]) end
  end)

  it("unserved_flow: a flow that nothing returns, or whose deployment no worker has", function()
    local two = 'local l = require "luaflow"\nlocal function flow(slug)\n  return l.flow { slug = slug }:step({ slug = "s" }, print)\nend\n'
      .. 'local a = flow "a"\nlocal b = flow "b"\n'
    local result = load { ["flows/x.lua"] = two .. "return a, b" }
    assert.same({ {
      code = "unserved_flow", file = "flows/x.lua", line = 3, flow = "b", message = "no worker serves this flow: no file returns it",
      hint = "return it; of `return a, b` a module keeps only a: write return { a, b }",
    } }, result.problems)
    assert.same({ "flows/x.lua:3 unserved_flow" }, problems_of { ["flows/x.lua"] = two .. "return a" })
    assert.same({}, problems_of { ["flows/x.lua"] = two .. "return { a, b }" })
    assert.same({ "flows/x.lua:3 unserved_flow" }, problems_of { ["flows/x.lua"] = two .. "return { a, l.deploy(b, {}).slug }" })
  end)

  it("no_steps", function()
    assert.same({ "flows/a.lua:2 no_steps" },
      problems_of { ["flows/a.lua"] = 'local luaflow = require "luaflow"\nreturn luaflow.flow { slug = "a" }' })
  end)

  it("have the line of a tail call that has no handler: the file's return", function()
    assert.same({ "flows/a.lua:4 queue_without_steps" }, problems_of { ["flows/a.lua"] = [[
local luaflow = require "luaflow"
local function build(slug) return luaflow.flow { slug = slug }:step({ slug = "s" }, print) end

return luaflow.worker {
  queue = "other",
  flows = { build "a" },
}
]] })
  end)

  it("of a flow that no entry serves are reported too", function()
    assert.same({ "flows/bad.lua:2 unknown_option" }, problems_of {
      ["flows/bad.lua"] = 'local l = require "luaflow"\nreturn l.flow { slug = "bad", colour = 1 }:step({ slug = "s" }, print)',
      ["flows/a.lua"] = 'require "flows.bad"\n' .. flow_source "a",
    })
  end)
end)

describe("conflicts of a load", function()
  it("duplicate_flow: two flows of one slug in different files", function()
    local result = load { ["flows/a.lua"] = flow_source "same", ["flows/b.lua"] = "\n" .. flow_source "same" }
    assert.same(1, #result.problems)
    local problem = result.problems[1]
    assert.same({ "duplicate_flow", "flows/b.lua", 3, "same" }, { problem.code, problem.file, problem.line, problem.flow })
    assert.same("flow 'same' is also defined at flows/a.lua:2", problem.message)
  end)

  it("duplicate_flow: slugs that differ only in case", function()
    assert.same({ "flows/b.lua:2 duplicate_flow" },
      problems_of { ["flows/a.lua"] = flow_source "same", ["flows/b.lua"] = flow_source "Same" })
  end)

  it("none: one flow that two files return", function()
    assert.same({}, problems_of({ ["flows/a.lua"] = flow_source "a", ["flows/b.lua"] = 'return { require "flows.a" }' },
      { "flows/a.lua", "flows/b.lua" }))
  end)

  it("duplicate_deployment: one slug deployed twice", function()
    assert.same({ "flows/w2.lua:3 duplicate_deployment" }, problems_of {
      ["flows/a.lua"] = flow_source "a",
      ["flows/w1.lua"] = [[
local luaflow = require "luaflow"
return { luaflow.worker { queue = "q1", flows = { luaflow.deploy(require "flows.a", { routes = { s = "q1" } }) } } }]],
      ["flows/w2.lua"] = [[
local luaflow = require "luaflow"
return { luaflow.worker { queue = "q2", flows = {
  luaflow.deploy(require "flows.a", { routes = { s = "q2" } }) } } }]],
    })
  end)

  it("alias_conflict: an alias that is the slug of a flow of another alias", function()
    assert.same({ "flows/deployed.lua:3 alias_conflict" }, problems_of {
      ["flows/a.lua"] = flow_source "a",
      ["flows/b.lua"] = flow_source "b",
      ["flows/deployed.lua"] = [[
local luaflow = require "luaflow"
return {
  luaflow.deploy(require "flows.b", { alias = "a" }),
  luaflow.deploy(require "flows.a", { alias = "other" }),
}]],
    })
  end)

  it("none: an alias that is the slug of its own first version", function()
    assert.same({}, problems_of {
      ["flows/a.lua"] = flow_source "a",
      ["flows/b.lua"] = flow_source "b",
      ["flows/deployed.lua"] = [[
local luaflow = require "luaflow"
return { luaflow.deploy(require "flows.b", { alias = "a" }), luaflow.retain(luaflow.deploy(require "flows.a", {})) }]],
    })
  end)

  it("several_active: two versions under one alias on one queue, without a worker", function()
    assert.same({ "flows/deployed.lua:3 several_active" }, problems_of {
      ["flows/a.lua"] = flow_source "a",
      ["flows/b.lua"] = flow_source "b",
      ["flows/deployed.lua"] = [[
local luaflow = require "luaflow"
return {
  luaflow.deploy(require "flows.a", {}),
  luaflow.deploy(require "flows.b", { alias = "a", routes = { s = "a" } }),
}]],
    })
  end)

  it("duplicate_worker and not_served: one queue, one worker", function()
    local sources = {
      ["flows/a.lua"] = flow_source "a",
      ["flows/b.lua"] = flow_source "b",
      ["flows/w1.lua"] = 'local l = require "luaflow"\nreturn { l.worker { queue = "a", flows = { require "flows.a" } } }',
      ["flows/w2.lua"] = 'local l = require "luaflow"\nreturn { l.worker { queue = "a", flows = { require "flows.a" } } }',
    }
    assert.same({ "flows/w2.lua:2 duplicate_worker" }, problems_of(sources))
    sources["flows/w2.lua"] = 'local l = require "luaflow"\nreturn { l.deploy(require "flows.b", { routes = { s = "a" } }) }'
    assert.same({ "flows/w2.lua:2 not_served" }, problems_of(sources))
  end)
end)
