-- JSON values as handlers see them: null, the marks that tell `[]` from `{}`, and helpers that keep marks.
-- Encodes nothing: the codec is the host's and finds its marks here.
local cjson = require "cjson"

local json = {}

---@class luaflow.Null: lightuserdata

--- JSON null. It is truthy: test with `is_null`.
---@type luaflow.Null
json.null = cjson.null

--- The metatables that mark a table as an array or as an object.
json.array_mt = { __name = "luaflow.array" }
json.object_mt = { __name = "luaflow.object" }

--- True for JSON null and for nil.
---@param value any
---@return boolean
function json.is_null(value)
  return value == nil or value == json.null
end

local function check_table(value, name)
  if type(value) ~= "table" then error(("luaflow.%s: a table is needed, not a %s"):format(name, type(value)), 3) end
end

--- Marks a table as a JSON array, so that it stays `[]` when it is empty. Returns it; without one, a new empty array.
---@generic T: table
---@param t? T
---@return T
function json.array(t)
  if t == nil then t = {} end
  check_table(t, "array")
  return setmetatable(t, json.array_mt)
end

--- Marks a table as a JSON object. Returns that table; without one, a new empty object.
---@generic T: table
---@param t? T
---@return T
function json.object(t)
  if t == nil then t = {} end
  check_table(t, "object")
  return setmetatable(t, json.object_mt)
end

--- The mark of a table: `array_mt`, `object_mt`, or nil. A metatable that is itself marked marks its table too.
---@param t table
---@return table?
function json.mark(t)
  local metatable = debug.getmetatable(t)
  if type(metatable) == "table" and metatable ~= json.array_mt and metatable ~= json.object_mt then
    metatable = debug.getmetatable(metatable)
  end
  if metatable == json.array_mt or metatable == json.object_mt then return metatable end
end

--- True for a table that is written as an array: marked as one, or unmarked with a first element.
---@param t table
---@return boolean
function json.is_array(t)
  local mark = json.mark(t)
  if mark == json.object_mt then return false end
  return mark == json.array_mt or t[1] ~= nil
end

local function check_function(value, name)
  if type(value) == "function" then return end
  error(("luaflow.%s: a function is needed, not a %s"):format(name, type(value)), 3)
end

--- A new table with `fn(value, key)` in the place of every value; arrays stay arrays and objects objects. Where `fn`
--- returns nil an array gets null, an object loses the key.
---@param t table
---@param fn fun(value: any, key: any): any
---@return table
function json.map(t, fn)
  check_table(t, "map")
  check_function(fn, "map")
  local result = {}
  if json.is_array(t) then
    for i = 1, #t do
      local value = fn(t[i], i)
      if value == nil then value = json.null end
      result[i] = value
    end
    return setmetatable(result, json.array_mt)
  end
  for key, value in pairs(t) do result[key] = fn(value, key) end
  return setmetatable(result, getmetatable(t))
end

--- A new table with the values for which `fn(value, key)` is true; arrays stay arrays and objects objects.
---@param t table
---@param fn fun(value: any, key: any): any
---@return table
function json.filter(t, fn)
  check_table(t, "filter")
  check_function(fn, "filter")
  local result = {}
  if json.is_array(t) then
    for i = 1, #t do
      if fn(t[i], i) then result[#result + 1] = t[i] end
    end
    return setmetatable(result, json.array_mt)
  end
  for key, value in pairs(t) do
    if fn(value, key) then result[key] = value end
  end
  return setmetatable(result, getmetatable(t))
end

-- LuaJIT 2.1.0-beta3 can compile a loop over pairs into one that ends before its first element.
jit.off(json.map)
jit.off(json.filter)

local function number_text(value)
  if value ~= value or value == math.huge or value == -math.huge then return tostring(value) end
  for digits = 15, 17 do
    local text = ("%." .. digits .. "g"):format(value)
    if tonumber(text) == value then return text end
  end
end

--- The text of a value for people: numbers with all their digits, 64-bit integers without a suffix, null as "null".
---@param value any
---@return string
function json.tostring(value)
  if json.is_null(value) then return "null" end
  if type(value) == "number" then return number_text(value) end
  local text = tostring(value)
  if type(value) == "cdata" then return (text:gsub("^(%-?%d+)U?LL$", "%1")) end
  return text
end

return json
