-- The workers of order_intake, one for each queue. Version 2 is the active one; version 1 is retained until its last run has ended.
local luaflow, deployed = require "luaflow", require "flows.deployed"

local v1, v2 = luaflow.retain(deployed.v1), deployed.v2

return {
  luaflow.worker { queue = "order_intake", flows = { v1, v2 } },
  luaflow.worker { queue = "order_intake_v2", flows = { v1, v2 } },
  luaflow.worker { queue = "pricing", flows = { v1, v2 } },
}
