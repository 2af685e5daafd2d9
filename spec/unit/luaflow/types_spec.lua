local fake_root = require "spec.support.fake_root"
local loader = require "luaflow.loader"
local luacats = require "spec.support.luacats"

local INTAKE = [[
local luaflow = require "luaflow"

---@class intake.price.Output
---@field cents integer

return luaflow.flow { slug = "intake" }
  :array({ slug = "validate" }, function(order) return order.lines end)
  :map({ slug = "price", array = "validate" }, function(line) return { cents = line.cents } end)
  :step({ slug = "gift", depends_on = { "validate" }, only_if = { validate = luaflow.array { { gift = true } } } }, function() return 1 end)
  :step({ slug = "total", depends_on = { "price", "gift" } }, function(deps) return #deps.price end)
]]

local DEPLOYED = [[
local luaflow = require "luaflow"
return { luaflow.deploy(require "flows.intake", { routes = { price = "pricing", gift = "gifts", total = "pricing" } }) }
]]

-- The files that a load makes, by name, and their names in order.
local function types_of(sources, entries, samples)
  local root = fake_root.new(sources)
  local result = loader.load {
    files = root.files, require = root.require, read = root.read, entries = entries or { "flows" }, types = true,
    samples = samples,
  }
  local files, names = {}, {}
  for i, file in ipairs(result.types) do files[file.name], names[i] = file.text, file.name end
  return files, names, result
end

local function flow_source(slug, options)
  return ('return require("luaflow").flow { slug = "%s" }:step({ slug = "a"%s }, print)%s'):format(
    slug, options or "", ':step({ slug = "b", depends_on = { "a" } }, print)')
end

-- The type of field a in the table that step b gets.
local function field_a(options, above)
  local files = types_of { ["flows/x.lua"] = (above or "") .. flow_source("x", options) }
  return files["x.lua"]:match "%-%-%-@class %(exact%) x%.b%.Deps\n%-%-%-@field (a%??[^\n]*)"
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

local LIBRARY = { "context", "deploy", "flow", "json", "problems", "worker" }

-- What an editor knows that has read the library, these sources and what is generated for them.
local function editor(sources, samples, entries)
  local files, names, result = types_of(sources, entries, samples)
  assert.same({}, result.problems)
  local texts = {}
  for _, name in ipairs(LIBRARY) do texts[#texts + 1] = read("lua/luaflow/" .. name .. ".lua") end
  for _, text in pairs(sources) do texts[#texts + 1] = text end
  for _, name in ipairs(names) do texts[#texts + 1] = files[name] end
  return luacats.index(unpack(texts))
end

local SAMPLES = [==[{"intake": {
  "inputs": [{"id": 1, "lines": [], "customer": {"name": "Ada", "tags": ["a"]}},
             {"id": 2.5, "lines": [{"sku": "x"}], "note": null, "stock": {"10-1": 1, "10-2": 2}}],
  "outputs": {"validate": [[{"sku": "x", "n": 1}], [{"sku": null}]], "gift": [1, "none"], "total": [9007199254740993]}}}]==]

describe("in an editor", function()
  local index

  setup(function() index = editor({ ["flows/intake.lua"] = INTAKE, ["flows/deployed.lua"] = DEPLOYED }, { SAMPLES }) end)

  it("every type that is named is declared", function() assert.same({}, index:undeclared()) end)

  -- What completes where it is written: the place, and what is offered.
  local COMPLETIONS = {
    { "luaflow.flow { slug = HERE }", "literals", { "intake.Options", "slug" }, { "intake" } },
    { ":step({ slug = HERE }, of a new step", "literals", { "intake.total.Options", "slug" }, { "total" } },
    { "depends_on of gift", "literals", { "intake.gift.Options", "depends_on" }, { "validate", "price" } },
    { "array of price", "literals", { "intake.price.Options", "array" }, { "validate" } },
    { "when_unmet of total", "literals", { "intake.total.Options", "when_unmet" }, { "fail", "skip", "skip-cascade" } },
    { "routes = { HERE", "fields", { "intake.Routes" }, { "validate?", "price?", "gift?", "total?" } },
    { "routes = { price = HERE", "literals", { "intake.Routes", "price" }, { "gifts", "intake", "pricing" } },
    { "luaflow.worker { queue = HERE", "literals", { "intake.WorkerOptions", "queue" }, { "gifts", "intake", "pricing" } },
    { "deps.HERE in total", "fields", { "intake.total.Deps" }, { "price", "gift?" } },
    { "input.HERE in validate", "fields", { "intake.Input" }, { "customer?", "id", "lines", "note?", "stock?" } },
    { "input.customer.HERE", "fields", { "intake.Input.customer" }, { "name", "tags" } },
    { "item.HERE in price", "fields", { "intake.price.Item" }, { "n?", "sku" } },
    { "only_if = { HERE in validate", "fields", { "intake.validate.Condition" }, { "customer?", "id?", "lines?", "note?", "stock?" } },
    { "only_if = { HERE in total", "fields", { "intake.total.Condition" }, { "price?", "gift?" } },
    { "result.output.HERE", "fields", { "intake.Output" }, { "total?" } },
    { "steps", "fields", { "intake.Steps" }, { "validate", "price", "gift", "total" } },
  }
  for _, case in ipairs(COMPLETIONS) do
    it("completes " .. case[1], function()
      local kind, at = case[2], case[3]
      local offered = kind == "fields" and index:fields(at[1]) or index:literals(index:field(at[1], at[2]))
      assert.same(case[4], offered)
    end)
  end

  it("what is declared, or inferred from samples, has its type", function()
    local types = {}
    for _, at in ipairs {
      { "intake.Input", "id" }, { "intake.Input", "lines" }, { "intake.Input", "note" }, { "intake.Input", "stock" },
      { "intake.Input.customer", "tags" }, { "intake.price.Item", "sku" }, { "intake.price.Item", "n" }, { "intake.total.Deps", "price" },
      { "intake.price.Output", "cents" }, { "intake.total.Step", "output" }, { "intake.price.Step", "output" },
    } do
      types[at[1] .. "." .. at[2]] = index:field(at[1], at[2])
    end
    assert.same({
      ["intake.Input.id"] = "number", ["intake.Input.lines"] = "intake.Input.lines[]", ["intake.Input.note"] = "luaflow.Null",
      ["intake.Input.stock"] = "table<string, integer>", ["intake.Input.customer.tags"] = "string[]",
      ["intake.price.Item.sku"] = "string|luaflow.Null", ["intake.price.Item.n"] = "integer",
      ["intake.total.Deps.price"] = "intake.price.Output[]", ["intake.price.Output.cents"] = "integer",
      ["intake.total.Step.output"] = "intake.total.Output", ["intake.price.Step.output"] = "intake.price.Output[]",
    }, types)
    assert.same({ "string|integer" }, index.aliases["intake.gift.Output"])
    assert.same({ "integer" }, index.aliases["intake.total.Output"])
  end)

  it("only a step with a transaction has ctx.tx", function()
    local source = INTAKE:gsub('slug = "gift"', '%0, transaction = true')
    local other = editor { ["flows/intake.lua"] = source }
    assert.same("luaflow.Transaction", other:field("intake.gift.Context", "tx"))
    assert.is_nil(other:field("intake.total.Context", "tx"))
    assert.same('"gift"', other:field("intake.gift.Context", "step_slug"))
    assert.same("string", other:field("intake.total.Context", "run_id"))
  end)

  it("the calls take each flow, and keep its type", function()
    assert.same({ { "intake.Options", returns = "intake.Flow" } }, index:signatures "luaflow.Module.flow")
    assert.same({ { "intake.Flow", "intake.DeployOptions", returns = "luaflow.DeployedFlow<intake.Flow>" } },
      index:signatures "luaflow.Module.deploy")
    assert.same({ { "intake.WorkerOptions", returns = "luaflow.Worker" } }, index:signatures "luaflow.Module.worker")
    assert.same({ "luaflow.Flow<intake.Steps>" }, index.classes["intake.Flow"].bases)
    assert.same({ { "intake.Flow", "intake.price.Options", "intake.price.Handler", returns = "intake.Flow" } },
      index:signatures "intake.Flow.map")
    assert.same(2, #index:signatures "intake.Flow.step")
    assert.same({ "fun(item: intake.price.Item, ctx: intake.price.Context): intake.price.Output" }, index.aliases["intake.price.Handler"])
    assert.same("F", index:field("luaflow.DeployedFlow", "flow"))
  end)

  it("an element that may have failed can be null", function()
    local source = INTAKE:gsub('array = "validate" }', 'array = "validate", when_element_exhausted = "null" }', 1)
      :gsub("  :step", '  :map({ slug = "again", array = "price" }, function(item) return item end)\n%0', 1)
    local other = editor { ["flows/intake.lua"] = source }
    assert.same("(intake.price.Output|luaflow.Null)[]", other:field("intake.total.Deps", "price"))
    assert.same({ "(intake.price.Output|luaflow.Null)" }, other.aliases["intake.again.Item"])
  end)

  it("a queue that is new is none of a fixed list", function()
    for _, step in ipairs { "validate", "price", "gift", "total" } do
      assert.same("intake.Queue|string", index:field("intake.Routes", step))
    end
  end)
end)

describe("the definitions of a flow", function()
  it("are Lua that defines nothing and returns nothing", function()
    local files = types_of { ["flows/intake.lua"] = INTAKE }
    local before = {}
    for name in pairs(_G) do before[name] = true end
    assert.same(0, select("#", assert(loadstring(files["intake.lua"]))()))
    for name in pairs(_G) do assert.is_true(before[name], name) end
  end)

  it("may lie among the flows: the load stays as it was", function()
    local sources = { ["flows/intake.lua"] = INTAKE, ["flows/deployed.lua"] = DEPLOYED }
    local files, _, before = types_of(sources)
    sources["flows/types/intake.lua"] = files["intake.lua"]
    local again, _, after = types_of(sources)
    assert.same({}, after.problems)
    assert.same(before.workers, after.workers)
    assert.same(files, again)
  end)

  it("name a dependency optional if it can be skipped while the step runs", function()
    assert.same("a x.a.Output", field_a "")
    assert.same("a? x.a.Output", field_a ", only_if = { k = 1 }")
    assert.same("a? x.a.Output", field_a ', unless = { k = 1 }, when_unmet = "skip"')
    assert.same("a x.a.Output", field_a ', unless = { k = 1 }, when_unmet = "skip-cascade"')
    assert.same("a x.a.Output", field_a ', unless = { k = 1 }, when_unmet = "fail"')
    assert.same("a? x.a.Output", field_a ', when_exhausted = "skip"')
    assert.same("a x.a.Output", field_a ', when_exhausted = "skip-cascade"')
  end)

  it("leave out what a class or an alias declares", function()
    local function generates(name, above)
      local files = types_of { ["flows/x.lua"] = above .. flow_source "x" }
      local text = files["x.lua"]:gsub("%(exact%) ", "")
      return text:find("@class " .. name .. "\n", 1, true) ~= nil or text:find("@alias " .. name .. " ", 1, true) ~= nil
    end
    for _, name in ipairs { "x.Input", "x.Output", "x.a.Input", "x.a.Output" } do
      assert.is_true(generates(name, ""), name)
      assert.is_false(generates(name, ("---@alias %s integer\n"):format(name)), name)
      assert.is_false(generates(name, ("--- @class (exact) %s: base\n"):format(name)), name)
      for _, other in ipairs { "---@class %ss\n", "-- class %s\n", "---@type %s\n" } do
        assert.is_true(generates(name, other:format(name)), other)
      end
    end
    assert.is_false(generates("x.b.Deps", "---@class x.b.Deps\n"))
  end)
end)

describe("the examples and the guide", function()
  it("annotate with nothing but what is generated and what the library has", function()
    local sources, declared, count = {}, {}, 0
    for _, name in ipairs { "order_intake", "order_intake_v2", "deployed", "order_workers" } do
      sources["flows/" .. name .. ".lua"] = read("flows/" .. name .. ".lua")
    end
    local generated, _, result = types_of(sources)
    assert.same({}, result.problems)
    local texts = { generated["order_intake_v2.lua"], read "flows/order_intake_v2.lua" }
    for _, name in ipairs(LIBRARY) do texts[#texts + 1] = read("lua/luaflow/" .. name .. ".lua") end
    for name in table.concat(texts, "\n"):gsub("%(exact%) ", ""):gmatch "%-%-%-@%a+ ([%w_.]+)" do declared[name] = true end
    sources.guide = read("flows/README.md"):gsub("order_intake_v2%.price%.Output", "")
    for path, text in pairs(sources) do
      text = text:gsub("%-%-%-@param [%w_]+", "---@type"):gsub("`(order_intake_v2%.[%w_.]*%u%l+)`", "\n---@type %1\n")
      for name in text:gmatch "%-%-%-@type ([%w_]+%.[%w_.]+)" do
        assert.truthy(declared[name], ("%s: %s"):format(path, name))
        count = count + 1
      end
    end
    assert.is_true(count >= 8, count)
  end)
end)

describe("the files of a load", function()
  it("are one for each flow, however often it is served, sorted", function()
    local _, names = types_of {
      ["flows/b.lua"] = flow_source "b", ["flows/a.lua"] = flow_source "a",
      ["flows/w.lua"] = [[
local luaflow = require "luaflow"
return { luaflow.worker { queue = "a", flows = { require "flows.a" } }, luaflow.deploy(require "flows.b", { routes = { b = "q" } }) }]],
    }
    assert.same({ "a.lua", "b.lua", "luaflow-calls.lua" }, names)
  end)

  it("are none where there are problems, or where nobody asks", function()
    local sources = { ["flows/a.lua"] = flow_source "a", ["flows/bad.lua"] = "x =" }
    assert.same({}, (select(2, types_of(sources))))
    local root = fake_root.new { ["flows/a.lua"] = flow_source "a" }
    assert.same({}, loader.load { files = root.files, require = root.require, entries = { "flows" } }.types)
  end)
end)
