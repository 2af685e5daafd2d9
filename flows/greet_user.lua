-- Two steps, the second of which gets the output of the first. Input: { "name": ... }.
local luaflow = require "luaflow"

return luaflow.flow { slug = "greet_user" }
  :step({ slug = "find_name" }, function(input)
    if luaflow.is_null(input) or luaflow.is_null(input.name) then luaflow.fail "the input has no name: give { name = ... }" end
    return { name = input.name }
  end)
  :step({ slug = "greet", depends_on = { "find_name" } }, function(deps)
    return "Hello, " .. deps.find_name.name .. "!"
  end)
