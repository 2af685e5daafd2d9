-- Infers LuaCATS types from samples of JSON values. Only names of keys and types are taken from them, never what they hold. Pure.
local json = require "luaflow.json"
local value = require "luaflow.value"

local sample_types = {}

local FIELDS_MAX = 40 -- an object with more keys is a dictionary
local DEPTH_MAX = 8

local SCALARS = { "string", "integer", "number", "boolean" }

local function scalar_type(given)
  if type(given) == "number" then return given % 1 == 0 and "integer" or "number" end
  return type(given) == "cdata" and "integer" or type(given)
end

-- What kinds of values there are: a set of scalar types, whether null is among them, the arrays and the objects.
local function sort_out(samples)
  local scalars, arrays, objects, has_null = {}, {}, {}, false
  for _, given in ipairs(samples) do
    if json.is_null(given) then
      has_null = true
    elseif type(given) ~= "table" then
      scalars[scalar_type(given)] = true
    elseif value.is_object(given) then
      objects[#objects + 1] = given
    else
      arrays[#arrays + 1] = given
    end
  end
  if scalars.number then scalars.integer = nil end
  return scalars, arrays, objects, has_null
end

-- Key -> the values that the objects have there, and the keys in order.
local function fields_of(objects)
  local fields, keys = {}, {}
  for _, object in ipairs(objects) do
    for key, field in pairs(object) do
      if not fields[key] then fields[key], keys[#keys + 1] = {}, key end
      table.insert(fields[key], field)
    end
  end
  table.sort(keys)
  return fields, keys
end

local function is_name(key)
  return key:find "^[%a_][%w_]*$" ~= nil
end

-- Keys that are data and no names, such as the ids of customers.
local function is_dictionary(keys)
  local odd = 0
  for _, key in ipairs(keys) do odd = odd + (is_name(key) and 0 or 1) end
  return #keys > FIELDS_MAX or odd * 2 > #keys
end

local function elements_of(lists)
  local elements = {}
  for _, list in ipairs(lists) do
    for _, element in ipairs(list) do elements[#elements + 1] = element end
  end
  return elements
end

local type_of

-- The type of objects: a class that is put into `classes`, those inside it behind it.
local function object_type(name, objects, classes, depth)
  local fields, keys = fields_of(objects)
  if #keys == 0 or depth > DEPTH_MAX then return "table" end
  if is_dictionary(keys) then
    local all = {}
    for _, key in ipairs(keys) do all[#all + 1] = fields[key] end
    return ("table<string, %s>"):format(type_of(name .. ".Value", elements_of(all), classes, depth + 1))
  end
  local class = { name = name, fields = {} }
  classes[#classes + 1] = class
  for i, key in ipairs(keys) do
    local part = is_name(key) and key or key:gsub("[^%w_]", "_")
    class.fields[i] = {
      key = is_name(key) and key or ("[%q]"):format(key), optional = #fields[key] < #objects,
      type = type_of(name .. "." .. part, fields[key], classes, depth + 1),
    }
  end
  return name
end

local function array_type(name, arrays, classes, depth)
  local elements = elements_of(arrays)
  if #elements == 0 or depth > DEPTH_MAX then return "any[]" end
  local element = type_of(name, elements, classes, depth + 1)
  return (element:find "|" and "(" .. element .. ")" or element) .. "[]"
end

function type_of(name, samples, classes, depth)
  local scalars, arrays, objects, has_null = sort_out(samples)
  local parts = {}
  for _, scalar in ipairs(SCALARS) do parts[#parts + 1] = scalars[scalar] and scalar or nil end
  if #objects > 0 then parts[#parts + 1] = object_type(name, objects, classes, depth) end
  if #arrays > 0 then
    local element_name = (depth == 1 or #objects > 0) and name .. ".Element" or name
    parts[#parts + 1] = array_type(element_name, arrays, classes, depth)
  end
  if has_null then parts[#parts + 1] = "luaflow.Null" end
  return table.concat(parts, "|")
end

---@class luaflow.SampleClass
---@field name string
---@field fields { key: string, optional: boolean, type: string }[]

--- The type of values like these.
---@param name string what the class of objects is called; those inside it get its name with the key behind it
---@param samples any[] one or more decoded JSON values
---@return string type
---@return luaflow.SampleClass[] classes that the type is made of
function sample_types.infer(name, samples)
  local classes = {}
  local text = type_of(name, samples, classes, 1)
  return text, classes
end

return sample_types
