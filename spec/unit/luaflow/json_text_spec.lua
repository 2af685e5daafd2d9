local luaflow = require "luaflow"

local function raised(fn, ...)
  local ok, message = pcall(fn, ...)
  assert.is_false(ok)
  return message
end

describe("luaflow.json", function()
  it("reads and writes without loss", function()
    for _, text in ipairs {
      "[]", "{}", "null", "9007199254740993", "-9223372036854775808", "0.1", '{"a":[],"b":{},"c":null}', '"\\"\\\\"',
    } do
      assert.same(text, luaflow.json.encode(luaflow.json.decode(text)))
    end
    assert.equal(luaflow.null, luaflow.json.decode('{"a":null}').a)
  end)

  it("sorts keys, and writes a line for each element if asked to", function()
    local value = { b = { 1, { c = "[x],{\"y\"}:" } }, a = luaflow.array(), d = luaflow.object(), e = "\\" }
    assert.same('{"a":[],"b":[1,{"c":"[x],{\\"y\\"}:"}],"d":{},"e":"\\\\"}', luaflow.json.encode(value, { sort_keys = true }))
    assert.same([[
{
  "a": [],
  "b": [
    1,
    {
      "c": "[x],{\"y\"}:"
    }
  ],
  "d": {},
  "e": "\\"
}]], luaflow.json.encode(value, { pretty = true }))
    assert.same("7", luaflow.json.encode(7, { pretty = true }))
  end)

  it("raises at the caller's line, with the path and never a value", function()
    for _, case in ipairs {
      { luaflow.json.decode, "[1,", "luaflow.json.decode: text: no JSON at byte 4" },
      { luaflow.json.decode, '{"a":1e999}', "luaflow.json.decode: text.a: number beyond the range of a double" },
      { luaflow.json.decode, 7, "luaflow.json.decode: text must be a string, not a number" },
      { luaflow.json.encode, { a = print }, "luaflow.json.encode: value.a: function, which JSON cannot hold" },
    } do
      local message = raised(function() case[1](case[2]) end)
      assert.truthy(message:find("json_text_spec.lua:%d+: ") and message:find(case[3], 1, true), message)
    end
    assert.truthy(raised(function() luaflow.json.encode(1, { prety = true }) end)
      :find("luaflow.json.encode has no option prety: it has pretty, sort_keys", 1, true))
  end)
end)
