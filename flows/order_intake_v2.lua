-- The second version of order_intake: ten pieces or more of one thing are cheaper, and express orders pay for the courier.
-- Input: { "lines": [{ "sku": ..., "qty": ... }], "express": true or false }.
local luaflow = require "luaflow"

local CENTS, COURIER_CENTS = 100, 1500

---@class order_intake_v2.price.Output
---@field sku string
---@field cents integer

---@param deps order_intake_v2.total.Deps
local function total(deps)
  local sum = deps.courier or 0 -- a step that was skipped is absent
  for _, line in ipairs(deps.price) do sum = sum + line.cents end
  return { version = 2, cents = sum }
end

return luaflow.flow { slug = "order_intake_v2", max_attempts = 5, base_delay = 2, timeout = 30 }
  :array({ slug = "validate" }, function(order)
    if luaflow.is_null(order) or luaflow.is_null(order.lines) then luaflow.fail "order has no lines" end
    return order.lines
  end)
  :map({ slug = "price", array = "validate" }, function(line)
    return { sku = line.sku, cents = line.qty * (line.qty >= 10 and CENTS * 0.9 or CENTS) }
  end)
  :step({ slug = "courier", only_if = { express = true } }, function()
    return COURIER_CENTS
  end)
  :step({ slug = "total", depends_on = { "price", "courier" } }, total)
