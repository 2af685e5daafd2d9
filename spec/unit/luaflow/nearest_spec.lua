local nearest = require "luaflow.nearest"

describe("nearest", function()
  local known = { "max_attempts", "base_delay", "timeout", "slug" }

  it("finds misspellings, whatever their case", function()
    assert.same("max_attempts", nearest.find("max_attempt", known))
    assert.same("max_attempts", nearest.find("maxAttempts", known))
    assert.same("timeout", nearest.find("tiemout", known))
    assert.same("slug", nearest.find("slgu", known))
  end)

  it("finds nothing for other words and other types", function()
    assert.is_nil(nearest.find("colour", known))
    assert.is_nil(nearest.find(5, known))
    assert.is_nil(nearest.find("x", { "y" }))
    assert.is_nil(nearest.find("foo", { "log" }))
    assert.is_nil(nearest.find(("x"):rep(1000), known))
    assert.is_nil(nearest.hint("colour", known))
  end)

  it("words a hint", function()
    assert.same('did you mean "timeout"?', nearest.hint("timeot", known))
  end)
end)
