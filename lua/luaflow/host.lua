-- Stands in for the host's table in plain LuaJIT, where no task runs: definitions load and validate without it, JSON is read
-- and written by the codec of the library's tests, and what needs the host raises an error that says so. Inside an executor
-- the host's own table is in the place of this module.
local host = { development = false, env = {} }

for _, name in ipairs {
  "now", "sleep", "flow_input", "stopping", "cancelled", "log", "http", "exec", "query", "tx_query",
} do
  host[name] = function()
    error(("luaflow: %s works only inside a task"):format(name), 2)
  end
end

-- The codec of the library's tests, loaded when it is first needed: inside an executor it never is.
function host.encode(...) return require "luaflow.testing.codec".encode(...) end
function host.decode(...) return require "luaflow.testing.codec".decode(...) end

return host
