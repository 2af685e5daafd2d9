-- What passes between the steps of a run in memory, through the cases that the host's codec passes as well
-- (spec/host/json_spec.lua).
local codec = require "luaflow.testing.codec"
local json_case_specs = require "spec.support.json_case_specs"

describe("the codec of runs in memory", function()
  local decoded = json_case_specs(codec, it)

  it("refuses half a surrogate pair", function()
    assert.is_nil((codec.decode('"\\ud800"', "input")))
  end)

  it("reads exponents of any length", function()
    assert.equal(0, decoded "1e-99999999999999999999")
    assert.equal(0, decoded "0e99999999999999999999")
    assert.equal(10, decoded "1e00000000000000000001")
    assert.same("input: number beyond the range of a double", select(2, codec.decode("1e99999999999999999999", "input")))
  end)
end)
