-- A host table for unit specs: a clock that `sleep` moves, recorded log lines, and the codec of luaflow.testing.
local codec = require "luaflow.testing.codec"

local fake_host = {}

--- A new host. Fields given replace its own.
---@param fields? table
---@return table
function fake_host.new(fields)
  local host = { development = false, env = { HOME = "/home/of/spec" }, lines = {}, time = 1000, encode = codec.encode }

  function host.now() return host.time end
  function host.sleep(seconds) host.time = host.time + seconds end
  function host.flow_input() return host.input end
  function host.stopping() return false end
  function host.cancelled() return false end
  function host.log(level, message, extra)
    host.lines[#host.lines + 1] = { level = level, message = message, fields = extra }
  end

  for name, field in pairs(fields or {}) do host[name] = field end
  return host
end

return fake_host
