-- The host's JSON codec, through the shared cases. Runs inside `luaflow lua`, whose host table is the executor's.
local cases = require "spec.support.json_cases"
local host = require "luaflow.host"
local json = require "luaflow.json"

local function short(text)
  return #text > 60 and ("%s ... (%d bytes)"):format(text:sub(1, 40), #text) or text
end

local function decoded(text)
  local value, message = host.decode(text, "input")
  assert.is_nil(message)
  return value
end

describe("the JSON codec", function()
  for _, text in ipairs(cases.unchanged) do
    it("keeps " .. short(text), function()
      assert.equal(text, host.encode(decoded(text), "output"))
    end)
  end

  for _, pair in ipairs(cases.rewritten) do
    it("keeps the value of " .. short(pair[1]), function()
      assert.equal(pair[2], host.encode(decoded(pair[1]), "output"))
    end)
  end

  for _, pair in ipairs(cases.undecodable) do
    it("does not decode " .. short(pair[1]), function()
      local value, message = host.decode(pair[1], "input")
      assert.is_nil(value)
      assert.equal(pair[2], message)
    end)
  end

  for _, case in ipairs(cases.values) do
    it("encodes " .. case.name, function()
      assert.equal(case.text, host.encode(case.make(json), "output", case.empty_array))
    end)
  end

  for _, case in ipairs(cases.refused) do
    it("refuses " .. case.name, function()
      local text, message = host.encode(case.make(json), "output")
      assert.is_nil(text)
      assert.equal(case.message, message)
    end)
  end

  it("refuses what is no JSON without quoting it", function()
    for _, text in ipairs { "", "secret", "[1,", "1 2", "{'a':1}", '"\255"', '"\\x"', "[1,]", "01", "nul", "\0" } do
      local value, message = host.decode(text, "input")
      assert.is_nil(value)
      assert.truthy(message:find("^input"), message)
      assert.falsy(message:find("secret", 1, true), message)
    end
  end)

  it("gives int64_t for integers beyond 2^53 only", function()
    assert.equal("number", type(decoded "9007199254740992"))
    assert.equal("number", type(decoded "-9007199254740992"))
    assert.equal("cdata", type(decoded "9007199254740993"))
    assert.is_true(decoded "9007199254740993" == 9007199254740993LL)
    assert.equal("9007199254740993", json.tostring(decoded "9007199254740993"))
  end)

  it("marks arrays, and objects only when they are empty", function()
    assert.equal(json.array_mt, getmetatable(decoded "[]"))
    assert.equal(json.array_mt, getmetatable(decoded "[1]"))
    assert.equal(json.object_mt, getmetatable(decoded "{}"))
    assert.is_nil(getmetatable(decoded '{"a":1}'))
    assert.equal("{}", host.encode(decoded "{}", "output", true))
  end)

  it("gives null as the null that cjson knows", function()
    assert.equal(json.null, decoded "null")
    assert.equal(json.null, decoded("[null]")[1])
  end)

  it("writes doubles so that they read back the same", function()
    local seed = 1
    for exponent = -1074, 1023, 3 do
      seed = (seed * 16807) % 2147483647
      local number = (1 + seed / 2147483647) * 2 ^ exponent
      local text = host.encode(number, "output")
      local back = decoded(text)
      assert.equal(number, tonumber(back), text)
    end
  end)

  it("leaves nothing behind when it refuses a large value", function()
    local large = { items = {} }
    for i = 1, 10000 do large.items[i] = { name = ("x"):rep(10), at = i } end
    large.items[10000].at = print
    for _ = 1, 20 do
      local _, message = host.encode(large, "output")
      assert.equal("output.items[10000].at: function", message)
    end
  end)
end)
