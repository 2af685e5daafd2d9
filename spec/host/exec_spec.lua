-- ctx:exec: programs beside the tasks of an executor, their results and errors, and that they end with the attempt.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- The input is the command.
local FLOWS = [[
local luaflow = require "luaflow"
local function run(command, ctx) return ctx:exec(command) end
local function on_queue(options)
  return luaflow.deploy(luaflow.flow(options):step({ slug = "call" }, run), { routes = { call = "programs" } })
end
local tx = luaflow.flow { slug = "tx" }
tx = tx:step({ slug = "call", transaction = true }, function(n, ctx)
  ctx.tx:query("create table if not exists public.said (word text)")
  ctx.tx:query("insert into public.said values ($1)", ctx:exec({ "echo", "-n", "word" }).stdout)
end)
return luaflow.worker { queue = "programs", flows = {
  on_queue { slug = "short", timeout = 1, max_attempts = 1 },
  on_queue { slug = "long", timeout = 60, max_attempts = 1 },
  luaflow.deploy(tx, { routes = { call = "programs" } }),
} }
]]

describe("ctx:exec", function()
  local here

  before_each(function() here = scene.open { ["flows/programs.lua"] = FLOWS } end)
  after_each(function() here:close() end)

  local function check(text)
    files.write(here.root:at "script.lua", "local ctx = ...\nlocal luaflow = require 'luaflow'\n" .. text)
    local result = here:luaflow { "lua", "--max-output", "1MB", "script.lua" }
    assert.same({ code = 0, out = "", err = "" }, { code = result.code, out = result.out, err = result.err })
  end

  it("answers what the program wrote, and how it ended", function()
    check [[
      local function same(expected, command)
        local result = ctx:exec(command)
        for _, name in ipairs { "code", "signal", "stdout", "stderr" } do
          assert(result[name] == expected[name], name .. ": " .. tostring(result[name]))
        end
      end
      same({ code = 0, stdout = "a b|$HOME|5", stderr = "" }, { "printf", "%s|%s|%s", "a b", "$HOME", 5 })
      same({ code = 3, stdout = "out\n", stderr = "err\n" }, { "sh", "-c", "echo out; echo err >&2; exit 3" })
      same({ signal = "SIGSEGV", stdout = "", stderr = "" }, { "sh", "-c", "kill -SEGV $$" })
      same({ code = 0, stdout = "", stderr = "" }, { "cat" })
      local bytes = ("\0\255input\n"):rep(60000)
      same({ code = 0, stdout = bytes, stderr = "" }, { "cat", input = bytes })
      same({ code = 0, stdout = "", stderr = "" }, { "true", input = bytes })
      same({ code = 0, stdout = ctx.env.PATH .. "\n", stderr = "" }, { "sh", "-c", "echo $PATH" })
      -- No descriptor of the executor, a group of its own, in the executor's session.
      same({ code = 0, stdout = "0\n1\n2\n3\n", stderr = "" }, { "ls", "/proc/self/fd" })
      local stat = ctx:exec({ "cat", "/proc/self/stat" }).stdout
      local pid, group, session = stat:match "^(%d+) %(cat%) %u %d+ (%d+) (%d+)"
      assert(pid == group and pid ~= session, stat)
      -- What it leaves behind ends with it, and does not hold up its answer.
      local started = os.time()
      same({ code = 0, stdout = "done\n", stderr = "" }, { "sh", "-c", "sleep 50 & setsid sleep 3 & echo done" })
      assert(os.time() - started < 3, "it waited")
    ]]
  end)

  it("raises what kept it from running to its end, with the place of the call", function()
    check [[
      local function raises(kind, text, command, program)
        local ok, problem = pcall(function()
          local result = ctx:exec(command)
          return result
        end)
        assert(not ok, "no error")
        assert(tostring(problem):find("script.lua:5: ctx:exec: " .. text, 1, true), tostring(problem))
        assert(kind == nil or problem.kind == kind and problem.program == command[1], tostring(problem.kind))
      end
      raises("not_found", "no-such-program was not found: install it, or give its whole path", { "no-such-program" })
      raises("not_found", 'ls -l was not found: each argument is a string of its own, { "ls", "-l" }', { "ls -l" })
      raises("not_found", "/no/such was not found: there is no such file", { "/no/such" })
      raises("permission", "/etc/passwd: Permission denied", { "/etc/passwd" })
      raises("failed", "true: Argument list too long", { "true", ("x"):rep(3e6) })
      raises("timeout", "sleep did not end within 0.2 s: it was killed", { "sleep", 20, timeout = 0.2 })
      raises("too_large", "yes: it wrote more than 1048576 bytes (--max-output) and was killed", { "yes" })
      raises(nil, "give it a table: ctx:exec { ", "ls")
      raises(nil, "the program is missing", { input = "x" })
      raises(nil, "the program is an empty string", { "" })
      raises(nil, "argument 1 must be a string or a number, not a boolean", { "ls", true })
      raises(nil, "argument 2 has a byte 0", { "ls", "x", "a\0b" })
      raises(nil, 'unknown option timout: did you mean "timeout"?', { "ls", timout = 5 })
      raises(nil, "timeout must be a number of seconds above 0 and at most 1000000", { "ls", timeout = 0 })
      raises(nil, "input must be a string, not a table", { "ls", input = {} })
      local ok, problem = pcall(ctx.exec, { "ls" })
      assert(problem:find("call it with a colon: ctx:exec { program, ... }", 1, true), problem)
    ]]
  end)

  -- Commands that run sleep twice, in the program's group, with a name of this spec alone.
  local function sleeps(mark) return cjson.encode { "sh", "-c", ("sleep %d.1 & sleep %d.2"):format(mark, mark) } end
  local function count(mark)
    return tonumber(process.run({ argv = { "pgrep", "-cxf", ("sleep %d\\.[12]"):format(mark) } }).out:match "%d+")
  end
  local function await_count(mark, wanted)
    wait.till(function() return count(mark) == wanted end, 20, ("%d programs"):format(wanted))
  end

  it("lets other tasks go on; the program ends with its attempt: by timeout, cancellation, and the executor's death", function()
    local host = here:worker { args = { "--queue", "programs", "--executors", "1" } }
    local mark = 200000 + host.process.pid
    local slow = here.db:start("long", sleeps(mark))
    await_count(mark, 2)
    assert.equal("quick", here.db:complete("long", '["echo", "-n", "quick"]').output.call.stdout)
    assert.equal("completed", here.db:complete("tx").status)
    assert.same({ { word = "word" } }, here.db:rows "select word from public.said")
    assert.equal("woken", here.db:complete("long", '["sh", "-c", "sleep 0.3; echo -n woken"]').output.call.stdout)
    assert.equal(0, #host:log "executor_changed")
    local late = here.db:complete("short", sleeps(mark + 1))
    assert.equal("failed", late.status)
    assert.truthy(late.error_message:find "^timed out after 1 s, waiting in ctx:exec", late.error_message)
    await_count(mark + 1, 0)
    assert.equal(2, count(mark))
    here:succeed("cancel", slow)
    await_count(mark, 0)

    local killed = here.db:start("long", sleeps(mark + 2))
    await_count(mark + 2, 2)
    local executor = process.run({ argv = { "pgrep", "-P", tostring(host.process.pid) } }).out:match "%d+"
    process.send(tonumber(executor), process.SIGKILL)
    host:await_log("executor_died", 20)
    here:succeed("cancel", killed)
    await_count(mark + 2, 0)
    here:stop_workers()
    here:assert_consistent()
  end)
end)
