-- One task for each element of the input, which must be an array of numbers, and a step that joins their outputs.
local luaflow = require "luaflow"

return luaflow.flow { slug = "fan_out" }
  :map({ slug = "square" }, function(number)
    return number * number
  end)
  :step({ slug = "total", depends_on = { "square" } }, function(deps)
    local sum = 0
    for _, square in ipairs(deps.square) do sum = sum + square end
    return sum
  end)
