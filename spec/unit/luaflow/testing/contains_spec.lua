local codec = require "luaflow.testing.codec"
local contains = require "luaflow.testing.contains"

local function check(document, pattern)
  return contains.check(assert(codec.decode(document, "document")), assert(codec.decode(pattern, "pattern")))
end

-- Each line: document, pattern. Verdicts of PostgreSQL's `@>`.
local HOLD = {
  { "{}", "{}" }, { '{"a":1}', "{}" }, { '{"a":1,"b":2}', '{"b":2}' },
  { '{"d":{"q":1}}', '{"d":{}}' }, { '{"d":{"q":1,"r":[2]}}', '{"d":{"r":[]}}' },
  { '{"a":[1,2,3]}', '{"a":[3,1]}' }, { '{"a":[1,2]}', '{"a":[1,1,1]}' }, { '{"a":[]}', '{"a":[]}' },
  { '{"a":[{"b":1,"c":2}]}', '{"a":[{"b":1},{"c":2}]}' }, { '{"a":[[1,2],[3]]}', '{"a":[[2]]}' },
  { '{"a":null}', '{"a":null}' }, { '{"a":[null,false]}', '{"a":[false]}' }, { '{"a":""}', '{"a":""}' },
  { '{"a":1}', '{"a":1.0}' }, { '{"a":-0.0}', '{"a":0}' }, { '{"a":9007199254740993}', '{"a":9007199254740993}' },
  { '{"a":1000000000000000000}', '{"a":1e18}' },
}

local DO_NOT_HOLD = {
  { "{}", '{"a":null}' }, { '{"a":1}', '{"a":2}' }, { '{"a":1}', '{"a":"1"}' }, { '{"a":true}', '{"a":"true"}' },
  { '{"d":[1]}', '{"d":{}}' }, { '{"d":1}', '{"d":{}}' }, { '{"d":null}', '{"d":{}}' }, { '{"d":{}}', '{"d":[]}' },
  { '{"a":[1]}', '{"a":1}' }, { '{"a":1}', '{"a":[1]}' }, { '{"a":[1,2]}', '{"a":[4]}' },
  { '{"a":[{"b":1},{"c":2}]}', '{"a":[{"b":1,"c":2}]}' }, { '{"a":[[1],[2]]}', '{"a":[1]}' },
  { "[]", "{}" }, { '[{"a":1}]', '{"a":1}' }, { "null", "{}" }, { "5", "{}" }, { '"a"', '{"a":1}' },
  { '{"a":9007199254740993}', '{"a":9007199254740992}' }, { '{"a":0.5}', '{"a":0}' },
}

describe("containment", function()
  for _, pair in ipairs(HOLD) do
    it(pair[1] .. " contains " .. pair[2], function() assert.is_true(check(pair[1], pair[2])) end)
  end

  for _, pair in ipairs(DO_NOT_HOLD) do
    it(pair[1] .. " does not contain " .. pair[2], function() assert.is_false(check(pair[1], pair[2])) end)
  end

  it("tells an int64_t from a double that it would be truncated to", function()
    assert.is_false(contains.check({ a = 0LL }, { a = 0.5 }))
    assert.is_true(contains.check({ a = 0LL }, { a = -0.0 }))
  end)
end)
