local luaflow = require "luaflow"
local values = require "luaflow.values"

local flow = luaflow.flow { slug = "f", colour = 1 }:step({ slug = "s" }, print)
local deployed = luaflow.deploy(flow, { alia = "x" })

describe("values", function()
  it("have their kind", function()
    assert.same("flow", values.kind(flow))
    assert.same("deployed", values.kind(deployed))
    assert.same("deployed", values.kind(luaflow.retain(deployed)))
    assert.same("worker", values.kind(luaflow.worker {}))
    for _, other in ipairs { {}, "flow", 1, print, luaflow.null, luaflow.array() } do assert.is_nil(values.kind(other)) end
  end)

  it("are found in tables, in a fixed order", function()
    assert.same({ flow }, values.within(flow))
    assert.same({ deployed, flow }, values.within { deployed, 5, flow })
    assert.same({ flow, deployed, flow }, values.within { flow, z = flow, a = deployed, helper = print })
    assert.same({}, values.within "x")
    assert.same({}, values.within(nil))
  end)

  it("list their problems and those of what they hold", function()
    assert.same(1, #luaflow.problems(flow))
    assert.same(2, #luaflow.problems(deployed))
    assert.same(2, #luaflow.problems { deployed, flow })
    assert.same(2, #luaflow.problems(luaflow.worker { queue = "f", flows = { deployed } }))
  end)

  it("are what luaflow.problems takes, and nothing else", function()
    for _, other in ipairs { {}, "x", print } do assert.has_error(function() luaflow.problems(other) end) end
  end)
end)
