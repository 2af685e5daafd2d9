-- Every version of order_intake that workers serve, each deployed once: the file that all worker files require.
local luaflow = require "luaflow"

---@type order_intake_v2.Routes
local v2_routes = { price = "pricing" }

return {
  v1 = luaflow.deploy(require "flows.order_intake", {}),
  v2 = luaflow.deploy(require "flows.order_intake_v2", { alias = "order_intake", routes = v2_routes }),
}
