local luaflow = require "luaflow"
local flow = require "luaflow.flow"
local registry = require "luaflow.registry"
local shape = require "luaflow.shape"
local worker = require "luaflow.worker"

local function handler() end

local function full_flow()
  return luaflow.flow { slug = "full", timeout = 9 }
    :array({ slug = "list" }, handler)
    :map({ slug = "each", array = "list", max_attempts = 1, base_delay = 2, timeout = 4, start_delay = 5 }, handler)
    :step({ slug = "zip", depends_on = { "list", "each" }, only_if = { list = luaflow.array() }, unless = { x = {} },
      when_unmet = "fail", when_exhausted = "skip-cascade", transaction = true }, handler)
end

describe("registry", function()
  it("names queue, function and the flows sorted by slug, with alias and routing", function()
    local v1 = luaflow.deploy(full_flow(), { alias = "all", routes = { each = "other" } })
    local simple = luaflow.flow { slug = "a_flow" }:step({ slug = "s" }, handler)
    local given = luaflow.worker { queue = "full", name = "fn", flows = { luaflow.retain(v1), simple } }
    assert.same({}, luaflow.problems(given))
    local made = registry.of(worker.subscription(given))
    assert.same("full", made.queue)
    assert.same("fn", made["function"])
    assert.same({ "a_flow", "full" }, { made.flows[1].slug, made.flows[2].slug })
    assert.same({ list = "full", each = "other", zip = "full" }, made.flows[2].routing)
    assert.same("all", made.flows[2].alias)
    assert.is_true(made.flows[2].retained)
    assert.is_false(made.flows[1].retained)
    assert.same(shape.of(flow.definition(full_flow())), made.flows[2].shape)
  end)
end)

describe("handlers", function()
  it("know their kind and whether a map reads them", function()
    local handlers = registry.handlers(flow.definition(full_flow()))
    assert.same({ fn = handler, kind = "array", feeds_map = true, transaction = false }, handlers.list)
    assert.same({ fn = handler, kind = "map", feeds_map = false, transaction = false }, handlers.each)
    assert.same({ fn = handler, kind = "single", feeds_map = false, transaction = true }, handlers.zip)
  end)
end)
