local luaflow = require "luaflow"
local null = require "luaflow.null"

local N = luaflow.null
local HINT = " is JSON null: test it with luaflow.is_null"

-- What fn(order) raises.
local function raised(fn, order)
  local ok, message = pcall(fn, order)
  assert.is_false(ok)
  return message
end

local outer = { customer = N }
local nothing = N

describe("null", function()
  it("prints as null, and equals itself alone", function()
    assert.same("null", tostring(N))
    assert.same("x null", ("x %s"):format(tostring(N)))
    assert.is_true(N == require "cjson".null)
    assert.is_true(N ~= nil and N ~= false)
  end)

  it("is named in the error of an operation, as the source does", function()
    for _, case in ipairs {
      { "order.customer", function(order) return order.customer.name end },
      { "order.customer", function(order) order.customer.name = 1 end },
      { "order.customer", function(order) local key = "name" return order.customer[key] end },
      { "order.customer", function(order) return order.customer:upper() end },
      { "order.lines.first", function(order) return order.lines.first.sku end },
      { "order.lines.first", function(order) return order.name, order.lines.first.sku end },
      { "customer", function(order) local customer = order.customer return customer.name end },
      { "outer.customer", function() return outer.customer.name end },
      { "nothing", function() return nothing.name end },
      { "order.total", function(order) return order.total * 1.5 end },
      { "order.total", function(order) return 2 + order.total end },
      { "order.total", function(order) return order.count - order.total end },
      { "order.total", function(order) return order.count ^ order.total end },
      { "order.total", function(order) return -order.total end },
      { "order.customer", function(order) return #order.customer end },
      { "order.customer", function(order) return "for " .. order.customer .. "!" end },
      { "order.customer", function(order) return order.customer < order.total end },
      { "order.customer", function(order) return order.customer <= order.total end },
    } do
      local message = raised(case[2], { customer = N, lines = { first = N }, total = N, count = 3, name = "x" })
      assert.truthy(message:find("null_spec.lua:%d+: " .. case[1] .. HINT .. "$"), message)
    end
  end)

  it("has a description where it has no name", function()
    local function first(...) return (...) end
    assert.truthy(raised(function() return first(N).name end):find("the value whose field name is read" .. HINT, 1, true))
    assert.truthy(raised(function() first(N).name = 1 end):find("the value whose field name is set" .. HINT, 1, true))
    assert.truthy(raised(function() local f = N f() end):find("the value that is called" .. HINT, 1, true))
    assert.truthy(raised(function() return first(N) + 1 end):find("an operand of this calculation" .. HINT, 1, true))
  end)

  it("is explained in Lua's own words for a userdata, and nothing else is", function()
    for words in pairs {
      ["a.lua:1: attempt to compare userdata with number"] = true,
      ["bad argument #1 to 'ipairs' (table expected, got userdata)"] = true,
    } do
      assert.same(words .. " (JSON null is a userdata: test it with luaflow.is_null)", null.explain(words))
    end
    local function compared(fn)
      local _, message = xpcall(fn, function(value)
        local explained = null.explain(value, 2)
        return explained
      end)
      return (message:gsub("^[^\n]-:%d+: ", ""))
    end
    local order = { vip = N, customer = { vip = N }, n = 1, [1] = N }
    assert.same("order.vip" .. HINT, compared(function() return order.vip > 3 end))
    assert.same("order.customer.vip" .. HINT, compared(function() return order.n <= order.customer.vip end))
    assert.same("order.vip" .. HINT, compared(function() if "x" < order.vip then error "never" end end))
    assert.same("attempt to compare number with userdata (JSON null is a userdata: test it with luaflow.is_null)",
      compared(function() return order[1] > 3 end))
    local t = {}
    assert.equal(t, null.explain(t))
    assert.same("a.lua:1: attempt to index a nil value", null.explain "a.lua:1: attempt to index a nil value")
  end)
end)

describe("luaflow.get", function()
  local order = { customer = { name = "Ada", vip = false, phone = N }, lines = { { sku = "a" } }, address = N }

  it("reads a path", function()
    assert.same("Ada", luaflow.get(order, "customer", "name", "unknown"))
    assert.same(false, luaflow.get(order, "customer", "vip", true))
    assert.same("a", luaflow.get(order, "lines", 1, "sku", nil))
    assert.same({ sku = "a" }, luaflow.get(order, "lines", 1, nil))
  end)

  it("answers its default at nulls, absent keys, and what is no table", function()
    for _, path in ipairs { { "address" }, { "address", "city" }, { "nobody" }, { "nobody", "x" }, { "customer", "phone" },
                            { "customer", "name", "first" }, { "lines", 2, "sku" } } do
      path[#path + 1] = "default"
      assert.same("default", luaflow.get(order, unpack(path)))
    end
    assert.is_nil(luaflow.get(order, "address", "city", nil))
    assert.same(7, luaflow.get(nil, "a", 7))
    assert.same(7, luaflow.get(N, "a", 7))
  end)

  it("refuses what is no path", function()
    assert.has_error(function() luaflow.get(order, "a") end,
      "luaflow.get needs a value, one key or more, and a default, which may be nil")
    assert.truthy(raised(function() luaflow.get(order, {}, 1) end)
      :find("luaflow.get: key 1 must be a string or a number, not a table", 1, true))
  end)
end)
