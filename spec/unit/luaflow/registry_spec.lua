local deploy = require "luaflow.deploy"
local flow = require "luaflow.flow"
local luaflow = require "luaflow"
local registry = require "luaflow.registry"
local shape = require "luaflow.shape"
local worker = require "luaflow.worker"

local function handler() end

local function full_flow()
  return luaflow.flow { slug = "full", timeout = 9 }
    :array({ slug = "list" }, handler)
    :map({ slug = "each", array = "list", max_attempts = 1, base_delay = 2, timeout = 4, start_delay = 5 }, handler)
    :step({ slug = "zip", depends_on = { "list", "each" }, only_if = { list = luaflow.array() }, unless = { each = { 1 } },
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
    for _, record in pairs(handlers) do record.input_mt, record.read_by = nil, nil end
    assert.same({ fn = handler, kind = "array", feeds_map = true, transaction = false }, handlers.list)
    assert.same({ fn = handler, kind = "map", feeds_map = false, transaction = false }, handlers.each)
    assert.same({ fn = handler, kind = "single", feeds_map = false, transaction = true }, handlers.zip)
  end)
end)

describe("the three classes of configuration", function()
  -- What a deployment has of each class: the graph without options, the queues, the options.
  local function classes_of(given)
    local made = registry.of(worker.implied("q", { { deployment = (deploy.deployment(given)), retained = false } })).flows[1]
    local runtime = { made.shape.options }
    made.shape.options = nil
    for _, step in ipairs(made.shape.steps) do
      runtime[#runtime + 1] = step.options
      step.options = nil
    end
    return { shape = made.shape, routing = made.routing, options = runtime }
  end

  local function deployed(flow_options, step_options, routes)
    flow_options.slug, step_options.slug = "x", "b"
    local flow_value = luaflow.flow(flow_options):step({ slug = "a" }, handler):step(step_options, handler)
    local given = luaflow.deploy(flow_value, { routes = routes })
    assert.same({}, luaflow.problems(given))
    return classes_of(given)
  end

  -- Which classes differ from those of the plain definition.
  local function changed(flow_options, step_options, routes)
    local before, after, names = deployed({}, { depends_on = { "a" } }), deployed(flow_options, step_options, routes), {}
    for _, name in ipairs { "shape", "routing", "options" } do
      if not pcall(assert.same, before[name], after[name]) then names[#names + 1] = name end
    end
    return table.concat(names, " ")
  end

  it("are apart: an option of one changes no other", function()
    assert.same("", changed({}, { depends_on = { "a" } }))
    for _, name in ipairs { "max_attempts", "base_delay", "timeout" } do
      assert.same("options", changed({ [name] = 7 }, { depends_on = { "a" } }), name)
      assert.same("options", changed({}, { depends_on = { "a" }, [name] = 7 }), name)
    end
    assert.same("options", changed({}, { depends_on = { "a" }, start_delay = 7 }))
    assert.same("shape", changed({}, {}))
    for _, option in ipairs { { "only_if", { a = 1 } }, { "unless", { a = 1 } }, { "when_exhausted", "skip" } } do
      assert.same("shape", changed({}, { depends_on = { "a" }, [option[1]] = option[2] }), option[1])
    end
    assert.same("routing", changed({}, { depends_on = { "a" } }, { b = "elsewhere" }))
    assert.same("shape", changed({}, { depends_on = { "a" }, transaction = true }))
  end)
end)
