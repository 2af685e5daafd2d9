local names = require "luaflow.names"

describe("slugs", function()
  it("are letters, digits and underscores, at most 128", function()
    for _, slug in ipairs { "a", "_", "A9_", "running", ("x"):rep(128) } do assert.is_nil(names.slug_fault(slug)) end
    for _, slug in ipairs { "", "9a", "a-b", "a b", "run", "a\n", ("x"):rep(129) } do assert.truthy(names.slug_fault(slug)) end
  end)
end)

describe("queue names", function()
  it("are lower case and at most 47", function()
    for _, name in ipairs { "a", "_a9", ("q"):rep(47) } do assert.is_nil(names.queue_fault(name)) end
    for _, name in ipairs { "", "A", "9a", "a-b", "a;b", ("q"):rep(48) } do assert.truthy(names.queue_fault(name)) end
  end)

  it("have a spelling that would do", function()
    assert.same("order_intake", names.queue_spelling "Order-Intake")
    assert.is_nil(names.queue_spelling "1st")
  end)
end)
