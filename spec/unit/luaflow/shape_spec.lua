local luaflow = require "luaflow"
local flow = require "luaflow.flow"
local json = require "luaflow.json"
local shape = require "luaflow.shape"

local function handler() end

local function full_flow()
  return luaflow.flow { slug = "full", timeout = 9 }
    :array({ slug = "list" }, handler)
    :map({ slug = "each", array = "list", max_attempts = 1, base_delay = 2, timeout = 4, start_delay = 5,
      when_element_exhausted = "null" }, handler)
    :step({ slug = "zip", depends_on = { "list", "each" }, only_if = { list = luaflow.array() }, unless = { each = { 1 } },
      when_unmet = "fail", when_exhausted = "skip-cascade", transaction = true }, handler)
end

describe("shape", function()
  it("has options with their defaults and steps in their order", function()
    local undefined = { defined = false }
    assert.same({
      options = { maxAttempts = 3, baseDelay = 5, timeout = 9 },
      steps = {
        { slug = "list", stepType = "single", kind = "array", transaction = false, dependencies = {},
          whenUnmet = "skip", whenExhausted = "fail", requiredInputPattern = undefined, forbiddenInputPattern = undefined, options = {} },
        { slug = "each", stepType = "map", kind = "map", transaction = false, dependencies = { "list" }, whenElementExhausted = "null",
          whenUnmet = "skip", whenExhausted = "fail", requiredInputPattern = undefined, forbiddenInputPattern = undefined,
          options = { maxAttempts = 1, baseDelay = 2, timeout = 4, startDelay = 5 } },
        { slug = "zip", stepType = "single", kind = "single", transaction = true, dependencies = { "each", "list" },
          whenUnmet = "fail",
          whenExhausted = "skip-cascade", requiredInputPattern = { defined = true, value = { list = {} } },
          forbiddenInputPattern = { defined = true, value = { each = { 1 } } }, options = {} },
      },
    }, shape.of(flow.definition(full_flow())))
  end)

  it("marks its arrays, so that empty ones stay arrays", function()
    local of_flow = shape.of(flow.definition(full_flow()))
    assert.equal(json.array_mt, getmetatable(of_flow.steps))
    assert.equal(json.array_mt, getmetatable(of_flow.steps[1].dependencies))
    assert.equal(json.array_mt, getmetatable(of_flow.steps[3].requiredInputPattern.value.list))
  end)
end)
