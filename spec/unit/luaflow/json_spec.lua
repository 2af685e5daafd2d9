local luaflow = require "luaflow"
local cjson = require "cjson"
local json = require "luaflow.json"

describe("null", function()
  it("is lua-cjson's, and is_null is true for it and for nil", function()
    assert.equal(cjson.null, luaflow.null)
    assert.is_true(luaflow.is_null(luaflow.null))
    assert.is_true(luaflow.is_null(nil))
    for _, value in ipairs { false, 0, "", {} } do assert.is_false(luaflow.is_null(value)) end
  end)
end)

describe("marks", function()
  it("are put on the table itself", function()
    local t = { 1 }
    assert.equal(t, luaflow.array(t))
    assert.equal(json.array_mt, getmetatable(t))
    assert.equal(json.object_mt, getmetatable(luaflow.object()))
    assert.equal(json.array_mt, getmetatable(luaflow.array()))
  end)

  it("are refused for anything but a table, at the caller's line", function()
    local ok, message = pcall(function() luaflow.array "x" end)
    assert.is_false(ok)
    assert.truthy(message:find "json_spec.lua:%d+: luaflow.array: a table is needed, not a string$")
  end)
end)

describe("map", function()
  it("maps the elements of an array, with their places", function()
    local mapped = luaflow.map(luaflow.array { 1, 2 }, function(value, i) return value * 10 + i end)
    assert.same({ 11, 22 }, mapped)
    assert.equal(json.array_mt, getmetatable(mapped))
  end)

  it("keeps an empty array an array and an empty object an object", function()
    assert.equal(json.array_mt, getmetatable(luaflow.map(luaflow.array(), tostring)))
    assert.equal(json.object_mt, getmetatable(luaflow.map(luaflow.object(), tostring)))
    assert.is_nil(getmetatable(luaflow.map({}, tostring)))
  end)

  it("leaves no hole where the function returns nil", function()
    assert.same({ luaflow.null, 2 }, luaflow.map({ 1, 2 }, function(value) return value > 1 and value or nil end))
  end)

  it("maps the values of an object", function()
    assert.same({ a = "a1", b = "b2" }, luaflow.map({ a = 1, b = 2 }, function(value, key) return key .. value end))
  end)

  it("refuses what it cannot map", function()
    assert.has_error(function() luaflow.map(nil, tostring) end)
    assert.has_error(function() luaflow.map({}, nil) end)
  end)
end)

describe("filter", function()
  it("closes the gaps of an array and keeps it one when nothing is left", function()
    assert.same({ 1, 3 }, luaflow.filter({ 1, 2, 3 }, function(value) return value ~= 2 end))
    local none = luaflow.filter({ 1, 2 }, function() return false end)
    assert.same({}, none)
    assert.equal(json.array_mt, getmetatable(none))
  end)

  it("keeps the keys of an object", function()
    local kept = luaflow.filter(luaflow.object { a = 1, b = 2 }, function(value) return value == 2 end)
    assert.same({ b = 2 }, kept)
    assert.equal(json.object_mt, getmetatable(kept))
  end)
end)

describe("tostring", function()
  it("shows numbers with all their digits", function()
    assert.same("9007199254740993", luaflow.tostring(9007199254740993LL))
    assert.same("-9223372036854775808", luaflow.tostring(-9223372036854775807LL - 1))
    assert.same("18446744073709551615", luaflow.tostring(18446744073709551615ULL))
    assert.same("9007199254740992", luaflow.tostring(2 ^ 53))
    assert.same("0.1", luaflow.tostring(0.1))
    assert.same("0.30000000000000004", luaflow.tostring(0.1 + 0.2))
    assert.same("nan", (luaflow.tostring(0 / 0):gsub("-", "")))
  end)

  it("shows other values", function()
    assert.same("null", luaflow.tostring(luaflow.null))
    assert.same("null", luaflow.tostring(nil))
    assert.same("false", luaflow.tostring(false))
    assert.same("x", luaflow.tostring "x")
  end)
end)
