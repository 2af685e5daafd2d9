-- The specs that every codec passes, on the shared cases.
local assert = require "luassert"
local cases = require "spec.support.json_cases"
local json = require "luaflow.json"

local function short(text)
  return #text > 60 and ("%s ... (%d bytes)"):format(text:sub(1, 40), #text) or text
end

local NO_JSON = {
  "", "secret", "[1,", "[1 2]", "1 2", "{'a':1}", '"\255"', '"\\x"', "[1,]", "01", "nul", "\0", '{"a"}', '"open', "-",
  '"a\nb"',
}

--- Makes the specs of a codec; returns its decoding of a text that is well-formed.
---@param codec table with decode(text, where) and encode(value, where, empty_array), which give nil and a message where they refuse
---@param it fun(name: string, act: fun()) of the `describe` that they belong to
---@return fun(text: string): any
return function(codec, it)
  local function decoded(text)
    local value, message = codec.decode(text, "input")
    assert.is_nil(message)
    return value
  end

  for _, text in ipairs(cases.unchanged) do
    it("keeps " .. short(text), function()
      assert.equal(text, codec.encode(decoded(text), "output"))
    end)
  end

  for _, pair in ipairs(cases.rewritten) do
    it("keeps the value of " .. short(pair[1]), function()
      assert.equal(pair[2], codec.encode(decoded(pair[1]), "output"))
    end)
  end

  for _, pair in ipairs(cases.undecodable) do
    it("does not decode " .. short(pair[1]), function()
      local value, message = codec.decode(pair[1], "input")
      assert.is_nil(value)
      assert.equal(pair[2], message)
    end)
  end

  for _, case in ipairs(cases.values) do
    it("encodes " .. case.name, function()
      assert.equal(case.text, codec.encode(case.make(json), "output", case.empty_array))
    end)
  end

  for _, case in ipairs(cases.refused) do
    it("refuses " .. case.name, function()
      local text, message = codec.encode(case.make(json), "output")
      assert.is_nil(text)
      assert.equal(case.message, message)
    end)
  end

  it("refuses what is no JSON without quoting it", function()
    for _, text in ipairs(NO_JSON) do
      local value, message = codec.decode(text, "input")
      assert.is_nil(value)
      assert.truthy(message:find "^input%S*: ", message)
      assert.falsy(message:find("secret", 1, true), message)
    end
  end)

  it("gives int64_t for integers beyond 2^53 only", function()
    assert.equal("number", type(decoded "9007199254740992"))
    assert.equal("number", type(decoded "-9007199254740992"))
    assert.equal("cdata", type(decoded "9007199254740993"))
    assert.is_true(decoded "9007199254740993" == 9007199254740993LL)
    assert.is_true(decoded "-9223372036854775808" == -9223372036854775807LL - 1)
  end)

  it("marks arrays, and objects only when they are empty", function()
    assert.equal(json.array_mt, getmetatable(decoded "[]"))
    assert.equal(json.array_mt, getmetatable(decoded "[1]"))
    assert.equal(json.object_mt, getmetatable(decoded "{}"))
    assert.is_nil(getmetatable(decoded '{"a":1}'))
    assert.equal("{}", codec.encode(decoded "{}", "output", true))
  end)

  return decoded
end
