local luaflow = require "luaflow"
local flow_module = require "luaflow.flow"

local function handler() end

local function codes(value)
  local list = {}
  for i, problem in ipairs(luaflow.problems(value)) do list[i] = problem.code end
  return list
end

-- The one problem of a value.
local function only(value)
  local list = luaflow.problems(value)
  assert.same(1, #list)
  return list[1]
end

local function base()
  return luaflow.flow { slug = "orders" }:step({ slug = "first" }, handler)
end

describe("flow", function()
  it("takes every option of flows and steps", function()
    local flow = luaflow.flow { slug = "full", max_attempts = 5, base_delay = 0, timeout = 1 }
      :array({ slug = "a", max_attempts = 1, base_delay = 2, timeout = 3, start_delay = 4 }, handler)
      :map({ slug = "b", array = "a", only_if = { a = { 1 } }, when_unmet = "fail", transaction = true }, handler)
      :step({ slug = "c", depends_on = { "a", "b" }, unless = { a = { 1 } }, when_unmet = "skip-cascade" }, handler)
      :array({ slug = "d", depends_on = { "c" }, when_exhausted = "skip" }, handler)
      :map({ slug = "e" }, handler)
    assert.same({}, luaflow.problems(flow))
    assert.same("full", flow.slug)
  end)

  it("is immutable: every method returns a new flow", function()
    local one = base()
    local two = one:step({ slug = "second", depends_on = { "first" } }, handler)
    local bad = one:step({ slug = "first" }, handler)
    assert.same(1, #flow_module.definition(one).steps)
    assert.same(2, #flow_module.definition(two).steps)
    assert.same({}, codes(one))
    assert.same({}, codes(two))
    assert.same({ "duplicate_slug" }, codes(bad))
    assert.has_error(function() one.slug = "other" end, "a flow is immutable: slug cannot be set")
  end)

  it("keeps nothing of the tables it was given", function()
    local options = { slug = "second", depends_on = { "first" }, only_if = { first = { 1 } } }
    local flow = base():step(options, handler)
    options.slug, options.depends_on[1], options.only_if.first[1] = "other", "none", 2
    local step = flow_module.definition(flow).steps[2]
    assert.same("second", step.slug)
    assert.same({ "first" }, step.dependencies)
    assert.same(1, step.options.only_if.first[1])
  end)

  it("collects the problems of the whole chain", function()
    local flow = luaflow.flow { slug = "bad", max_attempt = 5 }
      :step({ slug = "a" }, handler)
      :step({ slug = "b", depends_on = { "aa" } }, handler)
      :step({ slug = "a" }, handler)
    assert.same({ "unknown_option", "unknown_dependency", "duplicate_slug" }, codes(flow))
  end)

  it("says which flow and step a problem is of", function()
    local problem = only(base():step({ slug = "second", timeout = 0 }, handler))
    assert.same("orders", problem.flow)
    assert.same("second", problem.step)
  end)

  it("raises when a method is called with a dot", function()
    local flow = base()
    assert.has_error(function() flow.step({ slug = "x" }, handler) end,
      "luaflow: call it with a colon: flow:step(options, handler)")
  end)
end)

describe("a problem of a definition:", function()
  it("wrong_arguments: options that are no table", function()
    assert.same("wrong_arguments", only(luaflow.flow "orders").code)
    assert.same("wrong_arguments", only(luaflow.flow(nil)).code)
    assert.same("wrong_arguments", only(base():step("second", handler)).code)
  end)

  it("missing_handler", function()
    assert.same("missing_handler", only(base():step { slug = "second" }).code)
    local problem = only(base():map({ slug = "second" }, "handler"))
    assert.same("missing_handler", problem.code)
    assert.same("the second argument must be the handler, a function, not 'handler'", problem.message)
  end)

  it("missing_option: a slug", function()
    assert.same("missing_option", only(luaflow.flow {}).code)
    assert.same("missing_option", only(base():step({}, handler)).code)
  end)

  it("invalid_slug", function()
    for _, slug in ipairs { "", "run", "1st", "two words", "dash-ed", "über", ("x"):rep(129), "a\0" } do
      assert.same("invalid_slug", only(luaflow.flow { slug = slug }).code)
      assert.same("invalid_slug", only(base():step({ slug = slug }, handler)).code)
    end
    for _, slug in ipairs { "_", "Run", "a1_", ("x"):rep(128) } do
      assert.same({}, codes(base():step({ slug = slug }, handler)))
    end
  end)

  it("wrong_type", function()
    for name, value in pairs {
      max_attempts = "3", base_delay = true, timeout = {}, start_delay = "1 s", transaction = "yes", depends_on = "first",
      only_if = "x", unless = 5,
    } do
      local problem = only(base():step({ slug = "second", [name] = value }, handler))
      assert.same("wrong_type", problem.code)
      assert.truthy(problem.message:find(name, 1, true))
    end
    assert.same("wrong_type", only(base():map({ slug = "m", array = { "first" } }, handler)).code)
    assert.same("wrong_type", only(base():step({ slug = "s", depends_on = { 5 } }, handler)).code)
    assert.same("wrong_type", only(base():step({ slug = "s", depends_on = { first = true } }, handler)).code)
    assert.same("wrong_type", only(luaflow.flow { slug = 5 }).code)
  end)

  it("wrong_type of depends_on shows how to write it", function()
    assert.same('write { "first" }', only(base():step({ slug = "second", depends_on = "first" }, handler)).hint)
  end)

  it("out_of_range", function()
    for name, values in pairs {
      max_attempts = { 0, -1, 1.5, 0 / 0, math.huge, 2e9 }, base_delay = { -1, 0.5 }, timeout = { 0, 1e10 }, start_delay = { -1 },
    } do
      for _, value in ipairs(values) do
        assert.same("out_of_range", only(base():step({ slug = "second", [name] = value }, handler)).code)
      end
    end
    assert.same("max_attempts must be a whole number from 1 to 1000000000, not 0",
      only(luaflow.flow { slug = "x", max_attempts = 0 }).message)
  end)

  it("wrong_value, with the nearest choice", function()
    local problem = only(base():step({ slug = "second", when_exhausted = "skip_cascade" }, handler))
    assert.same("wrong_value", problem.code)
    assert.same('when_exhausted must be "fail", "skip" or "skip-cascade", not \'skip_cascade\'', problem.message)
    assert.same('did you mean "skip-cascade"?', problem.hint)
    assert.same("wrong_value", only(base():step({ slug = "s", only_if = { k = 1 }, when_unmet = true }, handler)).code)
  end)

  it("of a map alone: what an element that failed for good does", function()
    local problem = only(base():map({ slug = "each", when_element_exhausted = "skip" }, handler))
    assert.same({ "wrong_value", 'when_element_exhausted must be "fail" or "null", not \'skip\'' }, { problem.code, problem.message })
    problem = only(base():step({ slug = "second", when_element_exhausted = "null" }, handler))
    assert.same({ "misplaced_option", "when_element_exhausted is not an option of step", "it is one of map" },
      { problem.code, problem.message, problem.hint })
    problem = only(base():map({ slug = "each", when_element_exhausted = "null", when_exhausted = "skip" }, handler))
    assert.same({ "unused_option", "leave one of them out" }, { problem.code, problem.hint })
    assert.same({}, codes(base():map({ slug = "each", when_element_exhausted = "fail", when_exhausted = "skip" }, handler)))
    assert.same('did you mean "when_element_exhausted"?', only(base():map({ slug = "each", on_element_error = "null" }, handler)).hint)
  end)

  it("missing_condition: when_unmet without one", function()
    assert.same("missing_condition", only(base():step({ slug = "second", when_unmet = "fail" }, handler)).code)
    assert.same({ "wrong_type" }, codes(base():step({ slug = "s", when_unmet = "fail", only_if = 1 }, handler)))
  end)

  it("invalid_pattern: no object, or a value that JSON cannot hold", function()
    local problem = only(base():step({ slug = "second", only_if = { 1, 2 } }, handler))
    assert.same("invalid_pattern", problem.code)
    assert.same("only_if must be a JSON object, not an array", problem.message)
    assert.same("unless.a.b[2]: function, which JSON cannot hold",
      only(base():step({ slug = "second", unless = { a = { b = { 1, handler } } } }, handler)).message)
    assert.same({ "invalid_pattern" }, codes(base():step({ slug = "s", only_if = luaflow.array() }, handler)))
  end)

  it("reports a condition that can never be met or never fail, with the corrected text", function()
    local order = luaflow.flow { slug = "f" }:step({ slug = "order" }, handler):map({ slug = "lines", array = "order" }, handler)
    for _, case in ipairs {
      { "step", { depends_on = { "order" }, only_if = { vip = true } },
        "only_if has the key 'vip', and the step depends on no such step: the step can never run",
        "its keys are the steps that it depends on, order: write only_if = { order = { vip = true } }" },
      { "step", { depends_on = { "order", "lines" }, unless = { lnes = { 1 }, order = { a = "b", ["c d"] = luaflow.null } } },
        "unless has the key 'lnes', and the step depends on no such step: the step always runs",
        'its keys are the steps that it depends on, order, lines: '
          .. 'write unless = { lines = { 1 }, order = { a = "b", ["c d"] = luaflow.null } }' },
      { "map", { array = "order", only_if = { size = 3 } },
        "only_if has the key 'size', and the step depends on no such step: the step can never run",
        "its keys are the steps that it depends on, order: write only_if = { order = { size = 3 } }" },
      { "map", { only_if = { size = 3 } },
        "only_if is an object, and the input of a map without `array` is an array: the step can never run",
        'test the run\'s input in a step of its own, and let the map read that step: array = "STEP"' },
      { "step", { depends_on = { "lines" }, unless = { lines = { sku = "a" } } },
        "unless.lines is an object, and the output of lines is an array: the step always runs",
        'write unless = { lines = { { sku = "a" } } }, which tests its elements' },
      { "step", { depends_on = { "lines" }, only_if = { lines = {} } },
        "only_if.lines is an object, and the output of lines is an array: the step can never run",
        "write only_if = { lines = luaflow.array() }, which tests its elements" },
      { "step", { only_if = {} }, "only_if is empty, and every object contains {}: the step always runs",
        "name what it tests, as in only_if = { KEY = VALUE }, or leave it out" },
      { "array", { depends_on = { "order" }, unless = {} }, "unless is empty, and every object contains {}: the step can never run",
        "name what it tests, as in unless = { KEY = VALUE }, or leave it out" },
    } do
      case[2].slug = "s"
      local problem = only(order[case[1]](order, case[2], handler))
      assert.same({ "unmeetable_condition", case[3], case[4] }, { problem.code, problem.message, problem.hint })
    end
    for _, options in ipairs {
      { only_if = { anything = 1 } }, { depends_on = { "order" }, only_if = { order = { a = 1 } } },
      { depends_on = { "lines" }, only_if = { lines = { { a = 1 } } } },
    } do
      options.slug = "s"
      assert.same({}, luaflow.problems(order:step(options, handler)))
    end
    assert.same({ "unknown_dependency" }, codes(order:step({ slug = "s", depends_on = { "x" }, only_if = { y = 1 } }, handler)))
    for _, name in ipairs { "only_if", "unless" } do -- one that cannot be kept is not judged
      local options = { slug = "s", depends_on = { "order" }, [name] = { order = { at = print } } }
      assert.same({ "invalid_pattern" }, codes(order:step(options, handler)))
    end
  end)

  it("empty_dependencies and duplicate_dependency", function()
    assert.same("empty_dependencies", only(base():step({ slug = "second", depends_on = {} }, handler)).code)
    assert.same("duplicate_dependency", only(base():step({ slug = "s", depends_on = { "first", "first" } }, handler)).code)
  end)

  it("unknown_dependency, with the nearest step", function()
    local problem = only(base():step({ slug = "second", depends_on = { "frist" } }, handler))
    assert.same("unknown_dependency", problem.code)
    assert.same("step 'second' depends on 'frist', but no step 'frist' is defined before it", problem.message)
    assert.same('did you mean "first"?', problem.hint)
    assert.same("unknown_dependency", only(base():map({ slug = "m", array = "later" }, handler)).code)
    assert.same("step 'loop' depends on itself", only(base():step({ slug = "loop", depends_on = { "loop" } }, handler)).message)
  end)

  it("unknown_dependency that is defined later, saying where", function()
    local early = base():step({ slug = "second", depends_on = { "third" } }, handler)
    local late = early:step({ slug = "third" }, handler)
    assert.is_nil(only(early).hint)
    assert.truthy(only(late).hint:find "^it is defined later at .*flow_spec.lua:%d+: a step follows what it depends on$")
  end)

  it("duplicate_slug, saying where the first one is", function()
    local problem = only(base():step({ slug = "first" }, handler))
    assert.same("duplicate_slug", problem.code)
    assert.truthy(problem.message:find "^step 'first' is already defined at .*flow_spec.lua:%d+$")
  end)

  it("unknown_option, with the nearest one", function()
    local problem = only(base():step({ slug = "second", dependsOn = { "first" } }, handler))
    assert.same("unknown_option", problem.code)
    assert.same("unknown option 'dependsOn'", problem.message)
    assert.same('did you mean "depends_on"?', problem.hint)
    assert.truthy(only(base():step({ slug = "second", colour = "red" }, handler)).hint:find "^it takes slug, max_attempts, ")
    for given, meant in pairs { retries = "max_attempts", after = "depends_on", condition = "only_if", timeout_ms = "timeout" } do
      assert.same(("did you mean %q?"):format(meant), only(base():step({ slug = "second", [given] = 1 }, handler)).hint)
    end
    local problem_of_list = only(luaflow.flow { "orders", slug = "x" })
    assert.same({ "unknown option 1", 'name it: slug = "orders"' }, { problem_of_list.message, problem_of_list.hint })
  end)

  it("wrong_arguments of a call with a name alone, or in the wrong order, with the way to write it", function()
    assert.same('write luaflow.flow { slug = "m" }', only(luaflow.flow "m").hint)
    assert.same('write :map({ slug = "w" }, handler)', only(base():map("w", handler)).hint)
    local swapped = luaflow.problems(base():step(handler, { slug = "w" }))
    assert.same("the options come first, then the handler", swapped[2].hint)
    assert.same("it has step, array and map", only(base():task({ slug = "w" }, handler)).hint)
  end)

  it("raises at the handler's line where a method is called with a dot", function()
    local function dotted() return base().step({ slug = "w" }, handler) end
    local ok, message = pcall(dotted)
    assert.is_false(ok)
    assert.truthy(message:find "flow_spec.lua:%d+: luaflow: call it with a colon: flow:step%(options, handler%)$", message)
  end)

  it("misplaced_option: queue and alias belong to luaflow.deploy", function()
    for _, name in ipairs { "queue", "alias", "routes" } do
      local of_step = only(base():step({ slug = "second", [name] = "x" }, handler))
      local of_flow = only(luaflow.flow { slug = "x", [name] = "x" })
      assert.same("misplaced_option", of_step.code)
      assert.same("misplaced_option", of_flow.code)
      assert.truthy(of_step.hint:find("luaflow.deploy", 1, true))
      assert.truthy(of_flow.hint:find("luaflow.deploy", 1, true))
    end
  end)

  it("misplaced_option: an option of another method", function()
    local problem = only(base():step({ slug = "second", array = "first" }, handler))
    assert.same("misplaced_option", problem.code)
    assert.same("a step takes `depends_on`; a map takes `array`", problem.hint)
    local of_map = only(base():map({ slug = "m", depends_on = { "first" } }, handler))
    assert.same({ "misplaced_option", "a map takes `array`, the one step whose output it maps over" }, { of_map.code, of_map.hint })
    local of_flow = only(luaflow.flow { slug = "x", start_delay = 1 })
    assert.same({ "misplaced_option", "it is one of step, array, map" }, { of_flow.code, of_flow.hint })
  end)

  it("unknown_method, after which the chain goes on", function()
    local flow = base():mpa({ slug = "second" }, handler):step({ slug = "third", timeout = 0 }, handler)
    assert.same({ "unknown_method", "out_of_range" }, codes(flow))
    assert.same('did you mean "map"?', luaflow.problems(flow)[1].hint)
  end)

  it("does not bring others with it", function()
    local flow = luaflow.flow { slug = "bad slug" }
      :step({ slug = "bad-step", timeout = 0 }, handler)
      :step({ slug = "good", depends_on = { "bad-step" } }, handler)
    assert.same({ "invalid_slug", "invalid_slug", "out_of_range" }, codes(flow))
  end)
end)
