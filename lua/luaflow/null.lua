-- JSON null explains itself, in every Lua state that loads this module: it prints as `null`, and an operation on it raises an
-- error that names the null as the source does.
local json = require "luaflow.json"
local source_name = require "luaflow.source_name"

local null = {}

local REMEDY = "test it with luaflow.is_null"

-- The metamethod of one operation; `what` stands for a null without a name.
local function refuse(operation, what)
  return function(_, key)
    local name = operation and source_name.of_operand(operation, 3, json.null, operation == "index" and key or nil)
    error(("%s is JSON null: %s"):format(name or what:format(json.tostring(key)), REMEDY), 2)
  end
end

local arithmetic = refuse("arithmetic", "an operand of this calculation")

local null_mt = {
  __name = "luaflow.null",
  __metatable = "luaflow.null",
  __index = refuse("index", "the value whose field %s is read"),
  __newindex = refuse("index", "the value whose field %s is set"),
  __call = refuse(nil, "the value that is called"),
  __concat = refuse("concat", "an operand of .."),
  __len = refuse("unary", "the operand of #"),
  __unm = refuse("unary", "the operand of -"),
  __lt = refuse("compare", "an operand of this comparison"),
  __le = refuse("compare", "an operand of this comparison"),
}
for _, event in ipairs { "__add", "__sub", "__mul", "__div", "__mod", "__pow" } do null_mt[event] = arithmetic end

-- Lua has one metatable for all light userdata, of which null is the one that a handler meets.
function null_mt.__tostring(value)
  if value == json.null then return "null" end
  return "userdata"
end

debug.setmetatable(json.null, null_mt)

-- What Lua itself says where a null met something that has no such operation or a function of a library.
local OWN_WORDS = { "attempt to compare .*userdata", "expected, got userdata", "invalid value %(userdata%)" }

--- The error with a hint behind it where Lua's own words speak of a userdata, which null is; any other as it is. Lua compares a null
--- with a number by no metamethod: its name is found here.
---@param value any
---@param level? integer of the function that raised it, counted as debug.getinfo does, while it is still on the stack
---@return any
function null.explain(value, level)
  if type(value) ~= "string" then return value end
  local place = value:match "^([^\n]-:%d+: )attempt to compare .*userdata"
  local name = place and level and source_name.of_operand("compare", level + 2, json.null)
  if name then return ("%s%s is JSON null: %s"):format(place, name, REMEDY) end
  for _, words in ipairs(OWN_WORDS) do
    if value:find(words) then return ("%s (JSON null is a userdata: %s)"):format(value, REMEDY) end
  end
  return value
end

local function check_key(key, index)
  if type(key) == "string" or type(key) == "number" then return end
  error(("luaflow.get: key %d must be a string or a number, not a %s"):format(index, type(key)), 3)
end

--- Reads a path through tables, nulls and absent keys: `luaflow.get(order, "customer", "name", "unknown")`.
---@param value any
---@param ... any the keys, one or more, and last the default, which may be nil and must be given
---@return any found the value at the path; the default if it is absent or null, or if the path leads through something that is no table
function null.get(value, ...)
  local count = select("#", ...)
  if count < 2 then error("luaflow.get needs a value, one key or more, and a default, which may be nil", 2) end
  local arguments = { ... }
  for i = 1, count - 1 do
    check_key(arguments[i], i)
    if type(value) ~= "table" then return arguments[count] end
    value = value[arguments[i]]
  end
  if json.is_null(value) then return arguments[count] end
  return value
end

return null
