-- Containment of JSON values, as PostgreSQL's `@>` of jsonb has it for a pattern that is an object.
local json = require "luaflow.json"

local contains = {}

-- The decimal digits that a whole number has as JSON, where a double is written in its shortest form; nil for a number with
-- a fraction.
local function whole_text(number)
  if number == 0 then return "0" end
  if type(number) == "cdata" then return json.tostring(number) end
  if number ~= math.floor(number) then return nil end
  for precision = 0, 16 do
    local text = ("%." .. precision .. "e"):format(number)
    if tonumber(text) == number then
      local sign, first, fraction, exponent = text:match "^(%-?)(%d)%.?(%d*)e([+-]%d+)$"
      return sign .. first .. fraction .. ("0"):rep(tonumber(exponent) - #fraction)
    end
  end
end

local function is_number(given)
  return type(given) == "number" or type(given) == "cdata"
end

local function same_scalar(a, b)
  if type(a) == type(b) then return a == b end
  return is_number(a) and is_number(b) and whole_text(a) == whole_text(b)
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
