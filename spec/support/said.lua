-- What a program has said: words that must be in it.
local assert = require "luassert"

local said = {}

--- Requires that the text has each of the words.
---@param text string
function said.assert_says(text, ...)
  for _, words in ipairs { ... } do
    assert.truthy(text:find(words, 1, true), ("%q is missing in:\n%s"):format(words, text))
  end
end

--- Requires that a command ended with that code, and told why on standard error only.
---@param result { code: integer?, out: string, err: string }
---@param code integer
function said.assert_refused(result, code, ...)
  assert.equal(code, result.code, result.err)
  assert.equal("", result.out)
  said.assert_says(result.err, "luaflow: ", ...)
end

return said
