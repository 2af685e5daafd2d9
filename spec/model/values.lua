-- Random JSON values from a small world, so that conditions are met as often as not.
local luaflow = require "luaflow"

local values = { KEYS = { "a", "b", "c" } }

local SCALARS = { luaflow.null, false, true, 0, 1, 2, -1.5, 100000, "", "a", "b", "grüße \"x\"\\" }
local KEYS = values.KEYS

--- Any value; the deeper, the simpler.
---@param rng model.Random
---@param depth? integer
function values.any(rng, depth)
  depth = depth or 0
  if depth >= 3 or rng:chance(0.45) then return rng:pick(SCALARS) end
  if rng:chance(0.4) then return values.array(rng, rng:int(0, 3), depth) end
  local object = luaflow.object()
  for _, key in ipairs(KEYS) do
    if rng:chance(0.4) then object[key] = values.any(rng, depth + 1) end
  end
  return object
end

--- An array of that length.
function values.array(rng, length, depth)
  local array = luaflow.array()
  for i = 1, length do array[i] = values.any(rng, (depth or 0) + 1) end
  return array
end

--- Something that is no array.
function values.scalar(rng)
  return rng:chance(0.2) and luaflow.object { a = 1 } or rng:pick(SCALARS)
end

--- A value that the given one may contain: some of its keys and elements, sometimes with another value in a place.
function values.weaken(rng, value)
  if rng:chance(0.1) then return values.any(rng, 2) end
  if type(value) ~= "table" then return value end
  local weaker
  if getmetatable(value) == getmetatable(luaflow.array()) then
    weaker = luaflow.array()
    for _, element in ipairs(value) do
      if rng:chance(0.4) then weaker[#weaker + 1] = values.weaken(rng, element) end
    end
  else
    weaker = luaflow.object()
    for _, key in ipairs(KEYS) do
      if value[key] ~= nil and rng:chance(0.5) then weaker[key] = values.weaken(rng, value[key]) end
    end
  end
  return weaker
end

return values
