-- The host's JSON codec, through the shared cases. Runs inside `luaflow lua`, whose host table is the executor's.
local host = require "luaflow.host"
local json = require "luaflow.json"
local json_case_specs = require "spec.support.json_case_specs"

describe("the JSON codec", function()
  local decoded = json_case_specs(host, it)

  it("writes int64_t with all their digits", function()
    assert.equal("9007199254740993", json.tostring(decoded "9007199254740993"))
  end)

  it("gives null as the null that cjson knows", function()
    assert.equal(json.null, decoded "null")
    assert.equal(json.null, decoded("[null]")[1])
  end)

  it("writes doubles so that they read back the same", function()
    local seed = 1
    for exponent = -1074, 1023, 3 do
      seed = (seed * 16807) % 2147483647
      local number = (1 + seed / 2147483647) * 2 ^ exponent
      local text = host.encode(number, "output")
      local back = decoded(text)
      assert.equal(number, tonumber(back), text)
    end
  end)

  it("leaves nothing behind when it refuses a large value", function()
    local large = { items = {} }
    for i = 1, 10000 do large.items[i] = { name = ("x"):rep(10), at = i } end
    large.items[10000].at = print
    for _ = 1, 20 do
      local _, message = host.encode(large, "output")
      assert.equal("output.items[10000].at: function, which JSON cannot hold", message)
    end
  end)
end)
