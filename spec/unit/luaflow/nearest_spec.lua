local nearest = require "luaflow.nearest"

describe("nearest", function()
  local known = { "max_attempts", "base_delay", "timeout", "slug" }

  it("finds misspellings, whatever their case", function()
    assert.same("max_attempts", nearest.find("max_attempt", known))
    assert.same("max_attempts", nearest.find("maxAttempts", known))
    assert.same("timeout", nearest.find("tiemout", known))
    assert.same("slug", nearest.find("slgu", known))
  end)

  it("counts a swap of neighbours once, and prefers a name as long as what was written, then the shorter one", function()
    local commands = { "runs", "run", "retry", "rollout" }
    assert.same("run", nearest.find("rnu", commands))
    assert.same("runs", nearest.find("rusn", commands))
    assert.same("run", nearest.find("RUM", commands))
    assert.same("run", nearest.find("rn", commands))
    assert.same("abd", nearest.find("abc", { "abcd", "ab", "abd" }))
    assert.same("ab", nearest.find("abc", { "abcd", "ab" }))
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
