-- The pure copy of JSON values, through the cases that the host's codec passes as well (spec/host/json_spec.lua).
local cases = require "spec.support.json_cases"
local fake_host = require "spec.support.fake_host"
local json = require "luaflow.json"
local value = require "luaflow.value"

describe("value.copy", function()
  for _, case in ipairs(cases.refused) do
    it("refuses " .. case.name, function()
      local copy, message = value.copy(case.make(json), "output")
      assert.is_nil(copy)
      assert.equal(case.message, message)
    end)
  end

  for _, case in ipairs(cases.values) do
    it("keeps " .. case.name, function()
      local copy, message = value.copy(case.make(json), "output", case.empty_array)
      assert.is_nil(message)
      assert.is_not_nil(copy)
      local again = assert(value.copy(copy, "output"))
      local host = fake_host.new()
      assert.equal(host.encode(copy, "output"), host.encode(again, "output"))
    end)
  end

  it("gives the marks that decoding gives", function()
    assert.equal(json.array_mt, getmetatable(value.copy({}, "output", true)))
    assert.equal(json.object_mt, getmetatable(value.copy({}, "output")))
    assert.equal(json.array_mt, getmetatable(value.copy({ 1 }, "output")))
    assert.is_nil(getmetatable(value.copy({ a = 1 }, "output")))
  end)
end)
