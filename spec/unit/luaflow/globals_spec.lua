local fake_host = require "spec.support.fake_host"
local globals = require "luaflow.globals"

local function environment_with(host)
  local environment = { known = 1, require = require }
  globals.guard(environment, host)
  return environment
end

describe("a write to a new global", function()
  it("is an error in development, at the writer's line", function()
    local environment = environment_with(fake_host.new { development = true })
    local ok, message = pcall(function() environment.leaked = 1 end)
    assert.is_false(ok)
    assert.truthy(message:find "globals_spec.lua:%d+: a handler sets the new global leaked: make it local$")
    assert.is_nil(environment.leaked)
  end)

  it("is a warning elsewhere, once a name", function()
    local host = fake_host.new()
    local environment = environment_with(host)
    environment.leaked = 1
    environment.leaked = 2
    assert.same(2, environment.leaked)
    assert.same({ { level = "warn", message = "a handler sets the new global leaked: make it local" } }, host.lines)
  end)

  it("is nobody's business while a module loads", function()
    local host = fake_host.new { development = true }
    local environment = { require = function(load_module) load_module() return true end }
    globals.guard(environment, host)
    environment.require(function() environment.of_module = 1 end)
    assert.same(1, environment.of_module)
  end)
end)

describe("other globals", function()
  it("are written as ever", function()
    local environment = environment_with(fake_host.new { development = true })
    environment.known = 2
    assert.same(2, environment.known)
  end)

  it("stay as they are where a module watches them itself", function()
    local own = {}
    local environment = setmetatable({}, own)
    globals.guard(environment, fake_host.new { development = true })
    assert.equal(own, getmetatable(environment))
  end)
end)
