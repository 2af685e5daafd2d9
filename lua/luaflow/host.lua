-- Stands in for the host's table in plain LuaJIT, where no task runs: definitions load and validate without it, and
-- what needs the host raises an error that says so. Inside an executor the host's own table is in the place of this module.
local host = { development = false, env = {} }

for _, name in ipairs {
  "now", "sleep", "flow_input", "stopping", "cancelled", "log", "encode", "decode", "http", "query", "tx_query",
} do
  host[name] = function()
    error(("luaflow: %s works only inside a task"):format(name), 2)
  end
end

return host
