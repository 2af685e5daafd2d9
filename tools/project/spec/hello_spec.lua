local testing = require "luaflow.testing"
local hello = require "flows.hello"

describe("hello", function()
  it("greets everybody in one letter", function()
    local result = testing.run(hello, { names = { "Ada", "Grace" } })
    assert.same("completed", result.status)
    assert.same({ text = "Hello, Ada!\nHello, Grace!", greetings = 2 }, result.output.letter)
  end)

  it("fails at once without names", function()
    local result = testing.run(hello, {})
    assert.same({ "failed", "names" }, { result.status, result.error_step_slug })
  end)
end)
