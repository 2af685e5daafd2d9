-- The engine against the model on random flows: spec/model, which tools/model runs for as many seeds as one likes.
local compare = require "spec.model.compare"
local process = require "spec.support.process"
local show = require "spec.model.show"
local shrink = require "spec.model.shrink"

local SEEDS = os.getenv "LUAFLOW_LONG_SPECS" and 300 or 150

describe("the engine", function()
  it(("ends %d random flows as the model does"):format(SEEDS), function()
    local found, counts, deadlocks = {}, {}, 0
    compare.seeds({ seeds = SEEDS, first = 1, connections = 4 }, function(verdict)
      for _, finding in ipairs(verdict.findings) do found[#found + 1] = finding end
      for name, number in pairs(verdict.counts) do counts[name] = (counts[name] or 0) + number end
      deadlocks = deadlocks + verdict.deadlocks
    end)
    local first = found[1] and show.finding(shrink.finding(found[1], 4))
    assert.equal(0, #found, first)
    assert.equal(0, deadlocks)
    local least = { -- of each, for every seed
       runs = 1, completed = 1 / 3, failed = 1 / 6, cancelled = 1 / 300, done = 3, already = 1 / 15, stale = 1 / 15, cancel = 1 / 30,
    }
    for name, number in pairs(least) do
      assert.is_true((counts[name] or 0) >= number * SEEDS, ("%s: %s"):format(name, tostring(counts[name])))
    end
  end)
end)

describe("tools/model", function()
  local function run(...)
    return process.run { argv = { "tools/model", ... }, env = { LUAFLOW = process.luaflow() }, seconds = 150 }
  end

  it("compares one seed", function()
    local result = run("--seed", "7")
    assert.equal(0, result.code, result.out .. result.err)
    assert.truthy(result.out:find("\n1 seeds, 0 differences\n", 1, true), result.out)
  end)

  it("refuses words that it does not know", function()
    local result = run("--sead", "7")
    assert.equal(2, result.code)
    assert.truthy(result.err:find("--sead", 1, true))
  end)
end)
