local data_files = require "luaflow.data_files"

describe("data files", function()
  it("are those that are read until the end, each once", function()
    local opened = {}
    local given = {
      open = function(path, mode) opened[#opened + 1] = path .. (mode or "") return path end,
      lines = function(path) opened[#opened + 1] = path end,
    }
    local open = given.open
    local stop = data_files.note(given)
    local kept = given.open
    assert.equal("a", given.open "a")
    given.open("a", "rb")
    given.open("b", "w")
    given.lines "c"
    assert.same({ "a", "c" }, stop())
    assert.equal(open, given.open)
    kept "d"
    assert.same({ "a", "c" }, stop())
    assert.same({ "a", "arb", "bw", "c", "d" }, opened)
  end)
end)
