-- Prices an order line by line. The first version: a plain flow, whose slug is the alias of what came after it.
-- Input: { "lines": [{ "sku": ..., "qty": ... }] }.
local luaflow = require "luaflow"

local CENTS = 100 -- each piece of everything

return luaflow.flow { slug = "order_intake", max_attempts = 5, base_delay = 2, timeout = 30 }
  :array({ slug = "validate" }, function(order)
    if luaflow.is_null(order) or luaflow.is_null(order.lines) then luaflow.fail "order has no lines" end
    return order.lines
  end)
  :map({ slug = "price", array = "validate" }, function(line)
    return { sku = line.sku, cents = line.qty * CENTS }
  end)
  :step({ slug = "total", depends_on = { "price" } }, function(deps)
    local sum = 0
    for _, line in ipairs(deps.price) do sum = sum + line.cents end
    return { version = 1, cents = sum }
  end)
