-- `luaflow lua SCRIPT [ARG...]`: a script as the one task of an executor of its own.
local files = require "spec.support.files"
local process = require "spec.support.process"

describe("luaflow lua", function()
  local folder

  before_each(function() folder = files.temporary_folder() end)
  after_each(function() files.remove(folder) end)

  local function run(text, options)
    options = options or {}
    files.write(folder .. "/script.lua", text)
    local argv = { process.luaflow(), "lua", "script.lua" }
    for _, word in ipairs(options.arguments or {}) do argv[#argv + 1] = word end
    return process.run { argv = argv, cwd = folder, env = options.env, stdin = options.stdin, seconds = 20 }
  end

  local function output_of(text, options)
    local result = run(text, options)
    assert.equal("", result.err)
    assert.equal(0, result.code)
    return result.out
  end

  it("gives the context, then the arguments, and sets arg as luajit does", function()
    local out = output_of([[
      local ctx, first, second, third = ...
      print(type(ctx.log), first, second, third)
      print(arg[0], arg[1], arg[2], #arg)
    ]], { arguments = { "one", "two words" } })
    assert.equal("function\tone\ttwo words\tnil\nscript.lua\tone\ttwo words\t2\n", out)
  end)

  it("keeps folder, environment and standard input", function()
    files.write(folder .. "/input", "a line\n")
    local out = output_of([[
      local ctx = ...
      print(io.read "*l", os.getenv "LUAFLOW_SPEC", ctx.env.LUAFLOW_SPEC, io.open "script.lua" ~= nil)
    ]], { stdin = folder .. "/input", env = { LUAFLOW_SPEC = "kept" } })
    assert.equal("a line\tkept\tkept\ttrue\n", out)
  end)

  it("has luaflow's modules, the usual places and no rule on globals", function()
    files.write(folder .. "/beside.lua", "return 42")
    assert.equal("42\t[]\t1\n", output_of [[
      local host = require "luaflow.host"
      a_global = 1
      print(require "beside", host.encode(require("luaflow").array {}), a_global)
    ]])
  end)

  it("ends with the code of os.exit, wherever it is called", function()
    local result = run [[
      io.write "before"
      pcall(coroutine.wrap(function() table.sort({ 1, 2 }, function() os.exit(7) end) end))
      print "after"
    ]]
    assert.same({ code = 7, out = "before", err = "" }, result)
    assert.equal(0, run("os.exit()").code)
    assert.equal(0, run("os.exit(true)").code)
    assert.equal(1, run("os.exit(false)").code)
  end)

  it("ends with 1 and the traceback when the script raises", function()
    local result = run "local function inner()\n  error 'it broke'\nend\ninner()\n"
    assert.equal(1, result.code)
    assert.truthy(result.err:find("luaflow: script.lua:2: it broke\nstack traceback:\n", 1, true), result.err)
    assert.truthy(result.err:find("script.lua:4: in main chunk", 1, true), result.err)
  end)

  it("says what is wrong with a script that cannot be compiled or found", function()
    local result = run "x = = 1"
    assert.equal(1, result.code)
    assert.equal("luaflow: script.lua:1: unexpected symbol near '='\n", result.err)
    local missing = process.run { argv = { process.luaflow(), "lua", "missing.lua" }, cwd = folder }
    assert.equal(2, missing.code)
    assert.truthy(missing.err:find("missing.lua", 1, true), missing.err)
  end)

  it("sleeps, through pcall as well", function()
    assert.equal("true\ttrue\ttrue\n", output_of [[
      local ctx = ...
      local host = require "luaflow.host"
      local start = host.now()
      local ok = pcall(function() ctx:sleep(0.05) end)
      local took = host.now() - start
      print(ok, took >= 0.05, took < 2)
    ]])
  end)

  it("says why a call cannot wait", function()
    local out = output_of [[
      local ctx = ...
      local ok, message = pcall(coroutine.wrap(function() ctx:sleep(0.01) end))
      print(ok, message)
      ok, message = pcall(table.sort, { 1, 2 }, function() ctx:sleep(0.01) end)
      print(ok, message)
      ok, message = pcall(function() return (ctx:flow_input()) end)
      print(ok, message)
    ]]
    assert.equal("false\tscript.lua:2: sleep was called inside a coroutine that the handler created; call it in the handler itself\n"
      .. "false\tscript.lua:4: sleep cannot wait inside require, table.sort, string.gsub or another C function\n"
      .. "false\tscript.lua:6: flow_input: a script does not belong to a run\n", out)
  end)

  it("refuses a yield that nothing waits for", function()
    local result = run "coroutine.yield(1)"
    assert.equal(1, result.code)
    assert.truthy(result.err:find("coroutine.yield was called outside a coroutine that the handler created", 1, true), result.err)
  end)

  it("lets other code of the script have coroutines of its own", function()
    assert.equal("1\t2\t3\n", output_of [[
      local next_number = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
      print(next_number(), next_number(), next_number())
    ]])
  end)

  it("turns ctx:log into log lines on standard error", function()
    local result = run [[
      local ctx = ...
      ctx:log("warn", "low on \255 disk", { left = 3, list = {} })
      ctx:log("info", "unstorable", { f = print })
    ]]
    assert.equal(0, result.code)
    assert.equal("", result.out)
    assert.truthy(result.err:find("low on \239\191\189 disk", 1, true), result.err)
    assert.truthy(result.err:find('"left":3', 1, true), result.err)
    assert.truthy(result.err:find("fields.f: function", 1, true), result.err)
  end)
end)
