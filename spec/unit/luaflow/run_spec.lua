local luaflow = require "luaflow"
local context = require "luaflow.context"
local fake_host = require "spec.support.fake_host"
local flow = require "luaflow.flow"
local registry = require "luaflow.registry"
local run = require "luaflow.run"

local host = fake_host.new()

local function outcome_of(fn, record, input)
  record = record or {}
  record.fn, record.kind, record.feeds_map = fn, record.kind or "single", record.feeds_map or false
  return run.task(host, record, context.new(host, { attempt = 1 }), input)
end

-- "file:line: " of a function's definition.
local function line_of(fn)
  local info = debug.getinfo(fn, "S")
  return ("%s:%d: "):format(info.short_src, info.linedefined)
end

describe("a handler that returns", function()
  it("gets its input and ctx, and completes with its output as JSON", function()
    local outcome = outcome_of(function(input, ctx) return { sum = input.a + ctx.attempt } end, nil, { a = 2 })
    assert.same({ outcome = "completed", output = '{"sum":3}' }, outcome)
  end)

  it("completes with null for nil, and keeps false, 0 and the empty string", function()
    for text, value in pairs { ["null"] = luaflow.null, ["false"] = false, ["0"] = 0, ['""'] = "" } do
      assert.same({ outcome = "completed", output = text }, outcome_of(function() return value end))
    end
    assert.same("null", outcome_of(function() end).output)
  end)

  it("fails its attempt, by the line of its definition, with an output whose data cannot be stored", function()
    for why, fn in pairs {
      ["output.a: NaN, which JSON cannot hold"] = function() return { a = 0 / 0 } end,
      ["output: string with U+0000, which jsonb cannot hold"] = function() return "a\0" end,
      ["output: array with a hole at 2, which JSON cannot hold"] = function() return { 1, nil, 3 } end,
    } do
      local outcome = outcome_of(fn)
      assert.same({ "failed", line_of(fn) .. why }, { outcome.outcome, outcome.message })
    end
  end)

  it("has failed for good with an output that no data could mend", function()
    local cycle = {}
    cycle.of = cycle
    for why, output in pairs {
      ["output.items[2]: function, which JSON cannot hold"] = { items = { 1, print } },
      ["output.of: cycle, which JSON cannot hold"] = cycle,
      ["output: table with a key of type table, which JSON cannot hold"] = { [{}] = 1 },
    } do
      local fn = function() return output end
      local outcome = outcome_of(fn)
      assert.same({ "permanent", line_of(fn) .. why }, { outcome.outcome, outcome.message })
    end
  end)
end)

describe("a handler that returns more than an output", function()
  it("fails its attempt with what follows a nil", function()
    local function outcome(...)
      local values, count = { ... }, select("#", ...)
      local ended = outcome_of(function() return unpack(values, 1, count) end)
      return { ended.outcome, (ended.message:gsub("^spec/unit/luaflow/run_spec.lua:%d+: ", "HERE: ")) }
    end
    assert.same({ "failed", "HERE: no such customer" }, outcome(nil, "no such customer"))
    assert.same({ "failed", "HERE: missing: No such file or directory" }, outcome(io.open "missing"))
    assert.same({ "failed", '{"code":7}' }, outcome(nil, { code = 7 }))
    assert.same({ "failed", "false" }, outcome(nil, false))
    assert.is_nil(outcome_of(function() return nil, "x" end).traceback)
  end)

  it("ends as an ending says that it caught and returned", function()
    local outcome = outcome_of(function() return nil, select(2, pcall(luaflow.snooze, 7)) end)
    assert.same({ "snoozed", 7 }, { outcome.outcome, outcome.delay })
  end)

  it("has failed for good with any other value too many", function()
    for count, fn in pairs {
      [2] = function() return ("a,b"):gsub(",", ";") end,
      [3] = function() return { 1 }, nil, 3 end,
    } do
      local outcome = outcome_of(fn)
      assert.same({ "permanent", ("%sthe handler returned %d values, but a task has one output: return a table, or put a call "
        .. "in parentheses"):format(line_of(fn), count) }, { outcome.outcome, outcome.message })
    end
  end)

  it("completes where only nils follow", function()
    assert.same({ outcome = "completed", output = "1" }, outcome_of(function() return 1, nil, nil end))
    assert.same({ outcome = "completed", output = "null" }, outcome_of(function() return nil, nil end))
  end)
end)

describe("a handler that returns no value", function()
  local function hints(fn, record)
    host.lines = {}
    outcome_of(fn, record)
    return host.lines
  end
  local function forgetful(line) if line == 1 then error "no ones" end end

  after_each(function() host.development = false end)

  it("is warned about once for a step, while it is written", function()
    local record = { kind = "map" }
    assert.same({}, hints(forgetful, record))
    host.development = true
    assert.same({ { level = "warn", message = line_of(forgetful) .. "the handler of this map never returns a value, so all outputs "
      .. "of the step are null: is `return` missing? Write `return nil` if that is meant" } }, hints(forgetful, record))
    assert.same({}, hints(forgetful, record))
  end)

  it("is so as well in a step, and where another step reads the output that it did not return", function()
    host.development = true
    local function sometimes(line) if line == 1 then return 1 end end
    local function told(fn, text)
      return { { level = "warn", message = line_of(fn) .. text .. ": is `return` missing? Write `return nil` if that is meant" } }
    end
    assert.same(told(forgetful, "the handler of this step never returns a value, so its output is null"),
      hints(forgetful, { kind = "single" }))
    assert.same(told(sometimes, "the handler returned nothing, so its output is null, and step 'next' reads it"),
      hints(sometimes, { kind = "single", read_by = "next" }))
    assert.same({}, hints(sometimes, { kind = "single" }))
    assert.same({}, hints(function() return nil end, { kind = "single", read_by = "next" }))
  end)

  it("is not, where it can", function()
    host.development = true
    assert.same({}, hints(function(line) if line then return line end end, { kind = "map" }))
    assert.same({}, hints(function() return nil end, { kind = "map" }))
  end)
end)

describe("a handler that caught an ending", function()
  local function caught_by(fn, record)
    host.lines = {}
    return outcome_of(fn, record), host.lines
  end

  it("has completed, and is warned about once for a step, by the line of the call", function()
    local record, line = {}, nil
    local function fn()
      pcall(function()
        line = debug.getinfo(1, "l").currentline + 1
        luaflow.snooze(5)
      end)
      return 1
    end
    local outcome, lines = caught_by(fn, record)
    assert.same({ outcome = "completed", output = "1" }, outcome)
    assert.same({ { level = "warn", message = ("spec/unit/luaflow/run_spec.lua:%d: luaflow.snooze was caught by pcall and the "
      .. "handler returned, so the task is completed: use luaflow.pcall, or raise the error again if luaflow.is_control(err)")
      :format(line) } }, lines)
    assert.same({}, select(2, caught_by(fn, record)))
  end)

  it("is not warned about if it ends by it after all, or has failed", function()
    for _, fn in ipairs {
      function() error(select(2, pcall(luaflow.fail, "x"))) end,
      function() pcall(luaflow.fail, "x") error "other" end,
      function() luaflow.pcall(luaflow.retry_after, 3) end,
    } do
      local outcome, lines = caught_by(fn)
      assert.is_not.same("completed", outcome.outcome)
      assert.same({}, lines)
    end
    assert.same({}, select(2, caught_by(function() return 1 end)))
  end)
end)

describe("an unmarked empty table", function()
  local function empty() return {} end

  it("is {} from a step", function()
    assert.same("{}", outcome_of(empty).output)
  end)

  it("is [] from an array step and from a step that a map reads", function()
    assert.same("[]", outcome_of(empty, { kind = "array" }).output)
    assert.same("[]", outcome_of(empty, { kind = "single", feeds_map = true }).output)
    assert.same("[]", outcome_of(empty, { kind = "array", feeds_map = true }).output)
  end)

  it("is {} from one task of a map that a map reads", function()
    assert.same("{}", outcome_of(empty, { kind = "map", feeds_map = true }).output)
  end)

  it("stays {} where it is marked as an object", function()
    assert.same("{}", outcome_of(function() return luaflow.object() end, { feeds_map = true }).output)
  end)
end)

describe("a handler that raises an error of SQL", function()
  local pg = require "luaflow.pg"

  local function raise(fields)
    return function() error(pg.error(fields)) end
  end

  it("fails with its text, and its detail apart", function()
    local outcome = outcome_of(raise { message = "taken", sqlstate = "23505", detail = "Key (v)=(secret)" })
    assert.same({ "failed", "Key (v)=(secret)" }, { outcome.outcome, outcome.detail })
    assert.truthy(outcome.message:find "run_spec.lua:%d+: taken %(SQLSTATE 23505%)$", outcome.message)
    assert.is_string(outcome.traceback)
  end)

  it("keeps the detail through fail, and leaves the traceback of a conflict out", function()
    local outcome = outcome_of(function() luaflow.fail(pg.error { message = "taken", detail = "d" }) end)
    assert.same({ "permanent", "d" }, { outcome.outcome, outcome.detail })
    local problem = pg.error { message = "deadlock" }
    problem.restarts = true
    assert.is_nil(outcome_of(function() error(problem) end).traceback)
  end)

  it("is told the handler's place where the call left no frame", function()
    local problem = pg.error { message = "x" }
    problem.where = nil
    assert.truthy(outcome_of(function() error(problem) end).message:find "run_spec.lua:%d+: x$")
  end)
end)

describe("an array step that returns something else", function()
  it("has failed for good when no map reads it", function()
    for type_name, case in pairs {
      object = { { a = 1 }, "return a list; use :step for an object" }, string = { "x", "return a list" }, number = { -5, "return a list" },
      boolean = { true, "return a list" }, null = { luaflow.null, "is `return` missing?" },
    } do
      local function fn() return case[1] end
      local message = ("[TYPE_VIOLATION] Produced %s instead of array: %s%s"):format(type_name, line_of(fn), case[2])
      assert.same({ outcome = "permanent", message = message }, outcome_of(fn, { kind = "array" }))
    end
    assert.same("permanent", outcome_of(function() end, { kind = "array" }).outcome)
  end)

  it("completes when a map reads it: the database decides", function()
    local function five() return 5 end
    local judged = { outcome = "completed", output = "5",
      message = ("[TYPE_VIOLATION] Produced number instead of array: %sreturn a list"):format(line_of(five)) }
    assert.same(judged, outcome_of(five, { kind = "array", feeds_map = true }))
    assert.same(judged, outcome_of(five, { kind = "single", feeds_map = true }))
    assert.is_nil(outcome_of(function() return 5 end, { kind = "map", feeds_map = true }).message)
  end)

  it("has failed for good where the value has no counterpart in JSON", function()
    assert.same("permanent", outcome_of(function() return print end, { kind = "array" }).outcome)
  end)
end)

describe("a handler that raises", function()
  it("fails its attempt with the text, file and line, and a traceback for the log", function()
    local outcome = outcome_of(function() error "boom" end)
    assert.same("failed", outcome.outcome)
    assert.truthy(outcome.message:find "run_spec.lua:%d+: boom$")
    assert.truthy(outcome.traceback:find "stack traceback:")
    assert.truthy(outcome.traceback:find "run_spec.lua")
    assert.is_nil(outcome.delay)
  end)

  it("reads why where Lua speaks of a userdata that is a null", function()
    for _, fn in ipairs {
      function() return ({ luaflow.null })[1] < 5 end,
      function() return ipairs(luaflow.null) end,
      function() return table.concat { luaflow.null } end,
    } do
      local message = outcome_of(fn).message
      assert.truthy(message:find("userdata.* %(JSON null is a userdata: test it with luaflow%.is_null%)$"), message)
    end
  end)

  it("has a traceback that begins with the text and ends with the handler", function()
    local function handler() local _ = ("x"):rep(2) error "boom" end
    local traceback = outcome_of(handler).traceback
    assert.truthy(traceback:find "^[^\n]*run_spec.lua:%d+: boom\nstack traceback:\n")
    assert.truthy(traceback:find "run_spec.lua:%d+: in function <[^\n]*run_spec.lua:%d+>$", traceback)
    local nested = outcome_of(function() xpcall(error, function(e) error(e) end, "a") handler() end).traceback
    assert.truthy(nested:find "run_spec.lua:%d+: in function <[^\n]*run_spec.lua:%d+>$", nested)
  end)

  it("has the message of an error table in its traceback, and the table stored", function()
    local outcome = outcome_of(function() error { kind = "dns", message = "f.lua:3: no such host" } end)
    assert.truthy(outcome.traceback:find("f.lua:3: no such host\nstack traceback:\n", 1, true) == 1, outcome.traceback)
    assert.truthy(outcome.message:find('"kind":"dns"', 1, true))
  end)

  it("has tables stored as JSON", function()
    assert.same('{"code":1}', outcome_of(function() error { code = 1 } end).message)
  end)

  it("fails its attempt whatever it raises", function()
    for _, value in ipairs { 5, false, print } do
      assert.same("failed", outcome_of(function() error(value) end).outcome)
    end
    for message, value in pairs { ["error without a message"] = false, null = luaflow.null } do
      local told = outcome_of(function() error(value or nil) end).message
      assert.truthy(told:find("^spec/unit/luaflow/run_spec%.lua:%d+: " .. message .. "$"), told)
    end
  end)

  it("survives an overflow of the stack", function()
    local function deeper() return 1 + deeper() end
    local outcome = outcome_of(deeper)
    assert.same("failed", outcome.outcome)
    assert.truthy(outcome.message:find "^spec/unit/luaflow/run_spec%.lua:%d+: stack overflow %(is this a function", outcome.message)
  end)

  it("ends as by fail, retry_after or snooze, without a traceback", function()
    local failed = outcome_of(function() luaflow.fail "never" end)
    assert.same("permanent", failed.outcome)
    assert.truthy(failed.message:find "run_spec.lua:%d+: never$")
    assert.is_nil(failed.traceback)
    local retried = outcome_of(function() luaflow.retry_after(7, "busy") end)
    assert.same({ "failed", 7 }, { retried.outcome, retried.delay })
    local snoozed = outcome_of(function() luaflow.snooze(0, "later") end)
    assert.same({ "snoozed", 0 }, { snoozed.outcome, snoozed.delay })
  end)

  it("ends so too when the ending crosses a pcall or a coroutine of its own", function()
    local outcome = outcome_of(function()
      local ok, value = coroutine.resume(coroutine.create(function() luaflow.fail "inside" end))
      assert.is_false(ok)
      error(value)
    end)
    assert.same("permanent", outcome.outcome)
  end)
end)

describe("a handler that yields", function()
  it("goes on where it was", function()
    local waiting = fake_host.new { sleep = function(seconds) coroutine.yield(seconds) end }
    local record = { kind = "single", feeds_map = false, fn = function(_, ctx)
      ctx:sleep(2)
      pcall(ctx.sleep, ctx, 3)
      return "slept"
    end }
    local task = coroutine.create(run.task)
    local _, first = coroutine.resume(task, waiting, record, context.new(waiting, {}), nil)
    local _, second = coroutine.resume(task)
    local _, outcome = coroutine.resume(task)
    assert.same({ 2, 3, '"slept"' }, { first, second, outcome.output })
  end)
end)

describe("the table of dependencies", function()
  it("raises for a step that is none of them, while a skipped one is absent", function()
    local handlers = registry.handlers(flow.definition(luaflow.flow { slug = "f" }
      :step({ slug = "null_truthy" }, print):step({ slug = "other" }, print)
      :step({ slug = "read", depends_on = { "null_truthy", "other" } }, print)))
    local function ended(fn, input)
      handlers.read.fn = fn
      return run.task(host, handlers.read, nil, input or { null_truthy = 1 })
    end
    local function assert_refused(fn, hint)
      local outcome = ended(fn)
      local line = debug.getinfo(fn, "S").linedefined
      assert.same({ "failed", ("spec/unit/luaflow/run_spec.lua:%d: this step has no dependency %s"):format(line, hint) },
        { outcome.outcome, outcome.message })
    end
    assert_refused(function(deps) return deps.null_truty.x end, "'null_truty' (did you mean \"null_truthy\"?)")
    assert_refused(function(deps) return (luaflow.get(deps, "orders", "x", nil)) end, "'orders' (it depends on null_truthy, other)")
    assert.equal("null", ended(function(deps) return deps.other end).output)
    assert.equal('{"null_truthy":1}', ended(function(deps) return deps end).output)
    assert.equal('{"null_truthy":2}', ended(function(deps) return luaflow.map(deps, function(n) return n * 2 end) end).output)
    assert.equal("{}", ended(function(deps) return deps end, {}).output)
    assert.equal('["null_truthy"]', ended(function(deps)
      local keys = {}
      for key in pairs(deps) do keys[#keys + 1] = key end
      return keys
    end).output)
  end)
end)
