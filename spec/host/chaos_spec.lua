-- The harness of tools/chaos: a short run over which nothing is wrong, and one over which something is.
local files = require "spec.support.files"
local process = require "spec.support.process"

local FAILING = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "failing", max_attempts = 1 }:step({ slug = "only" }, function() error "always" end)
]]

describe("tools/chaos", function()
  local function run(...)
    return process.run {
      argv = { "tools/chaos", ... }, env = { LUAFLOW = process.luaflow() }, seconds = 150,
    }
  end

  it("ends well where nothing is lost, duplicated or stuck", function()
    local result = run("--minutes", "0.3", "--seed", "7", "--workers", "2")
    assert.equal(0, result.code, result.out .. result.err)
    assert.truthy(result.out:find("chaos: lost 0, duplicated 0, stuck 0, invariants 0, other faults 0", 1, true), result.out)
    assert.truthy(result.out:find "runs started: [1-9]", result.out)
  end)

  it("ends with 1 where runs are lost, and keeps the logs", function()
    local folder = files.temporary_folder()
    files.write(folder .. "/failing.lua", FAILING)
    local result = run("--minutes", "0.1", "--workers", "1", "--flow", folder .. "/failing.lua", "--start", "failing")
    files.remove(folder)
    assert.equal(1, result.code, result.out .. result.err)
    assert.truthy(result.out:find "BAD  lost: [1-9]", result.out)
    local kept = result.out:match "the logs are kept in (%S+)"
    assert.truthy(files.read(kept .. "/logs/worker-1-1.log"):find('"verb":"running"', 1, true))
    files.remove(kept)
  end)

  it("refuses words that it does not know", function()
    local result = run("--minute", "1")
    assert.equal(2, result.code)
    assert.truthy(result.err:find("--minute", 1, true))
  end)
end)
