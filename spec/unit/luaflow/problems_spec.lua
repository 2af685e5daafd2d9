local problems = require "luaflow.problems"

local function problem(file, line, code)
  return problems.new({ file = file, line = line }, { flow = "f", step = "s" }, code, "message", "hint")
end

describe("problems", function()
  it("are listed with all their fields", function()
    assert.same({ { code = "c", message = "message", hint = "hint", flow = "f", step = "s", file = "a.lua", line = 3 } },
      problems.list { problem("a.lua", 3, "c") })
  end)

  it("are sorted by file and line, then as recorded; those without a place come last", function()
    local codes = {}
    local recorded = { problem(nil, nil, "e"), problem("b", 1, "d"), problem("a", 10, "c"), problem("a", 9, "b"), problem("a", 9, "b2"),
      problem("a", nil, "a") }
    for i, listed in ipairs(problems.list(recorded)) do codes[i] = listed.code end
    assert.same({ "a", "b", "b2", "c", "d", "e" }, codes)
  end)

  it("are listed once", function()
    local one = problem("a", 1, "c")
    assert.same(1, #problems.list { one, one })
  end)

  it("say where, as far as it is known", function()
    assert.same(" at a.lua:3", problems.at { file = "a.lua", line = 3 })
    assert.same(" in a.lua", problems.at { file = "a.lua" })
    assert.same("", problems.at {})
  end)
end)
