-- Tests containment of JSON values, as PostgreSQL's `@>` of jsonb has it for a pattern that is an object.
local codec = require "luaflow.testing.codec"
local json = require "luaflow.json"

local contains = {}

local function is_number(given)
  return type(given) == "number" or type(given) == "cdata"
end

-- A double counts as the number that its shortest form says, as it does in the database.
local function digits(number)
  return number == 0 and "0" or codec.number(number)
end

local function same_scalar(a, b)
  if type(a) == type(b) then return a == b end
  return is_number(a) and is_number(b) and digits(a) == digits(b)
end

--- The name of a value's type as jsonb_typeof has it. The value is one that luaflow.value has copied.
---@param given any
---@return string
function contains.type_of(given)
  if given == json.null then return "null" end
  if type(given) == "cdata" then return "number" end
  if type(given) == "table" then return getmetatable(given) == json.array_mt and "array" or "object" end
  return type(given)
end

local holds

local function some_element_holds(array, pattern)
  for _, element in ipairs(array) do
    if holds(element, pattern) then return true end
  end
  return false
end

function holds(document, pattern)
  local kind = contains.type_of(document)
  if kind ~= contains.type_of(pattern) then return false end
  if kind == "object" then
    for key, wanted in pairs(pattern) do
      if document[key] == nil or not holds(document[key], wanted) then return false end
    end
    return true
  elseif kind == "array" then
    for _, wanted in ipairs(pattern) do
      if not some_element_holds(document, wanted) then return false end
    end
    return true
  end
  return same_scalar(document, pattern)
end

--- Does the document contain the pattern? Both are values that luaflow.value has copied.
---@param document any
---@param pattern table a JSON object
---@return boolean
function contains.check(document, pattern)
  return holds(document, pattern)
end

return contains
