local json = require "luaflow.json"
local value = require "luaflow.value"

local function message_of(given)
  local copy, message = value.copy(given, "output")
  assert.is_nil(copy)
  return message
end

describe("copy", function()
  it("is deep and equal", function()
    local given = { a = { 1, "two", { b = false } }, n = json.null }
    local copy = value.copy(given, "output")
    assert.same(given, copy)
    assert.not_equal(given.a[3], copy.a[3])
  end)

  it("makes nil null", function()
    assert.equal(json.null, value.copy(nil, "output"))
  end)

  it("keeps marks, and marks what has elements", function()
    local copy = value.copy({ a = json.array(), o = json.object(), l = { 1 }, e = {} }, "output")
    assert.equal(json.array_mt, getmetatable(copy.a))
    assert.equal(json.object_mt, getmetatable(copy.o))
    assert.equal(json.array_mt, getmetatable(copy.l))
    assert.equal(json.object_mt, getmetatable(copy.e))
  end)

  it("makes an unmarked empty table an array only as the whole value, and only if asked to", function()
    assert.equal(json.object_mt, getmetatable(value.copy({}, "output")))
    assert.equal(json.array_mt, getmetatable(value.copy({}, "output", true)))
    assert.equal(json.object_mt, getmetatable(value.copy(json.object(), "output", true)))
    assert.equal(json.object_mt, getmetatable(value.copy({ {} }, "output", true)[1]))
  end)

  it("takes 64-bit integers", function()
    assert.same(9007199254740993LL, value.copy(9007199254740993LL, "output"))
    assert.same(5LL, value.copy(5ULL, "output"))
    assert.same("output: integer outside the range of int64_t", message_of(18446744073709551615ULL))
  end)

  it("does not call metamethods", function()
    local given = setmetatable({ a = 1 }, { __index = function() error "called" end, __len = function() return 7 end })
    assert.same({ a = 1 }, value.copy(given, "output"))
  end)

  it("takes a table that is there twice, but no cycle", function()
    local shared = { 1 }
    assert.same({ { 1 }, { 1 } }, value.copy({ shared, shared }, "output"))
    shared[2] = { back = shared }
    assert.same("output[2].back: cycle, which JSON cannot hold", message_of(shared))
  end)

  it("names path and type of what JSON cannot hold", function()
    local items = { 1, 2, { when = print } }
    assert.same("output.items[3].when: function, which JSON cannot hold", message_of { items = items })
    assert.same("output: function, which JSON cannot hold", message_of(print))
    assert.same('output["odd key"]: NaN, which JSON cannot hold', message_of { ["odd key"] = 0 / 0 })
    assert.same("output[1]: infinity, which JSON cannot hold", message_of { -math.huge })
    assert.same("output.s: string with U+0000, which jsonb cannot hold", message_of { s = "a\0b" })
    assert.same("output.s: string that is not valid UTF-8", message_of { s = "\255" })
    assert.same("output.co: thread, which JSON cannot hold", message_of { co = coroutine.create(print) })
    assert.same("output.f: userdata, which JSON cannot hold", message_of { f = io.stdout })
    assert.same("output.c: cdata, which JSON cannot hold", message_of { c = require("ffi").new "int[1]" })
  end)

  it("refuses tables that are neither array nor object", function()
    assert.same("output: array with a hole at 2, which JSON cannot hold", message_of { 1, nil, 3 })
    assert.same("output: table with both string and number keys, which JSON cannot hold", message_of { 1, a = 2 })
    assert.same("output: table with a number key that is not an array index, which JSON cannot hold", message_of { [0] = 1 })
    assert.same("output: table with a number key that is not an array index, which JSON cannot hold", message_of { [1.5] = 1 })
    assert.same("output: table with a key of type boolean, which JSON cannot hold", message_of { [true] = 1 })
    assert.same("output: array with string keys, which JSON cannot hold", message_of(json.array { 1, a = 2 }))
    assert.same("output: object with number keys, which JSON cannot hold", message_of(json.object { 1 }))
  end)

  it("goes 512 deep and no further", function()
    local deep = {}
    for _ = 2, 512 do deep = { deep } end
    assert.truthy(value.copy(deep, "output"))
    assert.truthy(message_of({ deep }):find("nested deeper than 512", 1, true))
  end)
end)
