-- A host table for unit specs: a clock that `sleep` moves, recorded log lines, and a small encoder that checks values
-- as the codec does.
local cjson = require "cjson"
local json = require "luaflow.json"
local value = require "luaflow.value"

local fake_host = {}

local write

local function write_table(t)
  local parts = {}
  if getmetatable(t) == json.array_mt then
    for i, element in ipairs(t) do parts[i] = write(element) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = cjson.encode(key) .. ":" .. write(t[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

function write(given)
  if json.is_null(given) then return "null" end
  if type(given) == "table" then return write_table(given) end
  if type(given) == "string" then return cjson.encode(given) end
  return json.tostring(given)
end

--- A new host. Fields given replace its own.
---@param fields? table
---@return table
function fake_host.new(fields)
  local host = { development = false, env = { HOME = "/home/of/spec" }, lines = {}, time = 1000 }

  function host.now() return host.time end
  function host.sleep(seconds) host.time = host.time + seconds end
  function host.flow_input() return host.input end
  function host.stopping() return false end
  function host.cancelled() return false end
  function host.log(level, message, extra)
    host.lines[#host.lines + 1] = { level = level, message = message, fields = extra }
  end
  function host.encode(given, root, empty_array)
    local copy, message = value.copy(given, root, empty_array)
    if message then return nil, message end
    return write(copy)
  end

  for name, field in pairs(fields or {}) do host[name] = field end
  return host
end

return fake_host
