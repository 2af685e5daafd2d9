local luaflow = require "luaflow"
local errors = require "luaflow.errors"
local fake_host = require "spec.support.fake_host"

local function raised(fn, ...)
  local ok, value = pcall(fn, ...)
  assert.is_false(ok)
  return value
end

local encode = fake_host.new().encode

describe("fail, retry_after and snooze", function()
  it("raise endings of their kind", function()
    assert.same("fail", errors.ending(raised(luaflow.fail, "x")).kind)
    local retry = errors.ending(raised(luaflow.retry_after, 2.5, "busy"))
    assert.same({ "retry_after", 2.5 }, { retry.kind, retry.delay })
    local snooze = errors.ending(raised(luaflow.snooze, 0))
    assert.same({ "snooze", 0 }, { snooze.kind, snooze.delay })
  end)

  it("keep file and line of the call", function()
    for _, call in ipairs {
      function() luaflow.fail "the message" end,
      function() luaflow.retry_after(1, "the message") end,
      function() luaflow.snooze(1, "the message") end,
    } do
      assert.truthy(errors.text(raised(call), encode):find "errors_spec.lua:%d+: the message$")
    end
  end)

  it("have a message of their own without one", function()
    assert.truthy(errors.text(raised(function() luaflow.fail() end)):find "failed$")
    assert.truthy(errors.text(raised(function() luaflow.retry_after(5) end)):find "retry after 5 s$")
    assert.truthy(errors.text(raised(function() luaflow.snooze(0.5) end)):find "snoozed for 0.5 s$")
  end)

  it("take a table as the message", function()
    assert.same('{"code":7}', errors.text(raised(luaflow.fail, { code = 7 }), encode))
  end)

  it("cut delays to a day", function()
    for _, name in ipairs { "retry_after", "snooze" } do
      assert.equal(86400, errors.ending(raised(luaflow[name], 86400)).delay)
      assert.equal(86400, errors.ending(raised(luaflow[name], 1e20)).delay)
    end
  end)

  it("refuse delays that are none, at the caller's line", function()
    for _, seconds in ipairs { -1, 0 / 0, math.huge, "5", {} } do
      for _, name in ipairs { "retry_after", "snooze" } do
        local value = raised(function() luaflow[name](seconds) end)
        assert.is_nil(errors.ending(value))
        assert.truthy(value:find("errors_spec.lua:%d+: luaflow." .. name .. ": seconds must be a finite number, 0 or more"))
      end
    end
    assert.is_nil(errors.ending(raised(luaflow.snooze, nil)))
  end)

  it("can be shown and raised again", function()
    local value = raised(function() luaflow.fail "shown" end)
    assert.truthy(tostring(value):find "shown$")
    assert.same("fail", errors.ending(raised(error, value)).kind)
  end)

  it("are not mistaken for other errors", function()
    for _, value in ipairs { "x", 5, {}, { kind = "fail", message = "x" }, print } do
      assert.is_nil(errors.ending(value))
    end
  end)
end)

describe("the text of an error", function()
  it("is a string as it is", function()
    assert.same("flows/x.lua:3: boom", errors.text("flows/x.lua:3: boom", encode))
  end)

  it("is a table's JSON", function()
    assert.same('{"code":"E1","list":[1,2]}', errors.text({ code = "E1", list = { 1, 2 } }, encode))
  end)

  it("is the tostring of what cannot be encoded", function()
    local value = setmetatable({ fn = print }, { __tostring = function() return "my error" end })
    assert.same("my error", errors.text(value, encode))
  end)

  it("is the message and the reason where a table cannot be encoded and has no tostring", function()
    local cyclic, deep = { message = "m" }, { message = "m" }
    cyclic.inner = { cyclic }
    local level = deep
    for _ = 1, 5000 do
      level.x = {}
      level = level.x
    end
    for path, value in pairs {
      ["error%.delay: "] = { message = "m", kind = "snooze", delay = 1 / 0 }, ["error%.fn: "] = { message = "m", fn = function() end },
      ["error%.inner%[1%]: "] = cyclic, ["error%.x%.x%.x.*: "] = deep,
    } do
      local text = errors.text(value, encode)
      assert.truthy(text:find("^m %(the error table is not stored: " .. path .. "[^\n]+%)$"), text)
      assert.same(text, errors.text(raised(luaflow.fail, value), encode))
    end
    local raising = setmetatable({ fn = print }, { __tostring = function() error "no" end })
    for _, value in ipairs { { fn = print }, { fn = print, message = { "m" } }, raising } do
      assert.truthy(errors.text(value, encode):find "^an error table that is not stored: error%.fn: ")
    end
  end)

  it("names no address", function()
    assert.same("an error value of type table", errors.text({}))
    for _, value in ipairs { function() end, coroutine.create(print), io.stdout, require("ffi").new "int[2]" } do
      assert.same("an error value of type " .. type(value), errors.text(value, encode))
    end
  end)

  it("is there for every other type", function()
    assert.same("error without a message", errors.text(nil, encode))
    assert.same("5", errors.text(5, encode))
    assert.same("true", errors.text(true, encode))
    assert.same("9007199254740993", errors.text(9007199254740993LL, encode))
  end)
end)
