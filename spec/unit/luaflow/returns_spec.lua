local returns = require "luaflow.returns"

describe("returns.values", function()
  it("is false for a function that has no return with a value", function()
    assert.is_false(returns.values(function() end))
    assert.is_false(returns.values(function(line) line.cents = line.qty * 100 end))
    assert.is_false(returns.values(function(line) if line then return end local f = function() return 5 end f() end))
  end)

  it("is true for every other", function()
    assert.is_true(returns.values(function(line) if line then return line end end))
    assert.is_true(returns.values(function() return nil end))
    assert.is_true(returns.values(function() return 1, 2 end))
    assert.is_true(returns.values(function(...) return ... end))
    assert.is_true(returns.values(function(f) return f() end))
    assert.is_true(returns.values(function(f, ...) return f(1, ...) end))
    assert.is_true(returns.values(print))
  end)
end)
