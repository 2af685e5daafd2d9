-- tools/bank: a small one of each kind. The full one is run with LUAFLOW_LONG_SPECS.
local files = require "spec.support.files"
local process = require "spec.support.process"

describe("tools/bank", function()
  local function run(seconds, ...)
    return process.run { argv = { "tools/bank", ... }, env = { LUAFLOW = process.luaflow() }, seconds = seconds }
  end

  it("applies each transfer once in transactional steps", function()
    local words = os.getenv "LUAFLOW_LONG_SPECS" and {} or
      { "--tasks", "80", "--workers", "2", "--hosts", "0", "--executors", "4", "--restarts", "1" }
    local result = run(1800, unpack(words))
    assert.equal(0, result.code, result.out .. result.err)
    assert.truthy(result.out:find("ok   transfers applied more than once: 0", 1, true), result.out)
  end)

  it("sees that they are applied twice without", function()
    local result = run(120, "--tasks", "300", "--workers", "2", "--hosts", "0", "--executors", "10", "--restarts", "0",
      "--transaction", "no")
    assert.equal(1, result.code, result.out .. result.err)
    assert.truthy(result.out:find "BAD  transfers applied more than once: [1-9]", result.out)
    files.remove((result.out:match "the logs are kept in (%S+)":gsub("/logs$", "")))
  end)

  it("refuses words that it does not know", function()
    local result = run(10, "--task", "1")
    assert.equal(2, result.code)
    assert.truthy(result.err:find("--task", 1, true))
  end)
end)
