-- Finds conditions that can never be met, or always are, from what their step depends on.
local json = require "luaflow.json"
local names = require "luaflow.names"
local nearest = require "luaflow.nearest"
local sorted_keys = require "luaflow.sorted_keys"
local value = require "luaflow.value"

local condition = {}

local MAX_LITERAL = 200 -- bytes of a pattern that a hint repeats

-- A JSON value as Lua source.
local function literal(given)
  if type(given) == "string" then return ("%q"):format(given) end
  if json.is_null(given) then return "luaflow.null" end
  if type(given) ~= "table" then return json.tostring(given) end
  if next(given) == nil then return value.is_object(given) and "{}" or "luaflow.array()" end
  local parts = {}
  if not value.is_object(given) then
    for i, element in ipairs(given) do parts[i] = literal(element) end
  else
    for _, key in ipairs(sorted_keys(given)) do
      local name = names.slug_fault(key) and ("[%q]"):format(key) or key
      parts[#parts + 1] = name .. " = " .. literal(given[key])
    end
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

local function written(name, pattern)
  local text = literal(pattern)
  return ("write %s = %s"):format(name, #text <= MAX_LITERAL and text or "{ ... }")
end

local OUTCOMES = { only_if = "the step can never run", unless = "the step always runs" }

-- A pattern whose keys are no dependencies, with those keys where they belong.
local function report_key(name, pattern, key, slugs, report)
  local near = nearest.find(key, slugs)
  local mended = {}
  for other, part in pairs(pattern) do
    if other ~= key then mended[other] = part end
  end
  if near then
    mended[near] = pattern[key]
  else
    mended = { [slugs[1]] = pattern }
  end
  report("unmeetable_condition", ("%s has the key '%s', and the step depends on no such step: %s"):format(name, key, OUTCOMES[name]),
    ("its keys are the steps that it depends on, %s: %s"):format(table.concat(slugs, ", "), written(name, mended)))
end

local function is_array(step)
  return step.kind == "array" or step.kind == "map"
end

local EMPTY_OUTCOMES = { only_if = "the step always runs", unless = "the step can never run" }

local function check(name, pattern, method, dependencies, report)
  if next(pattern) == nil and (#dependencies > 0 or method ~= "map") then
    return report("unmeetable_condition", ("%s is empty, and every object contains {}: %s"):format(name, EMPTY_OUTCOMES[name]),
      ("name what it tests, as in %s = { KEY = VALUE }, or leave it out"):format(name))
  end
  if #dependencies == 0 then
    if method ~= "map" then return end
    return report("unmeetable_condition", ("%s is an object, and the input of a map without `array` is an array: %s"):format(
      name, OUTCOMES[name]), "test the run's input in a step of its own, and let the map read that step: array = \"STEP\"")
  end
  local slugs, by_slug = {}, {}
  for i, step in ipairs(dependencies) do slugs[i], by_slug[step.slug] = step.slug, step end
  for _, key in ipairs(sorted_keys(pattern)) do
    local step, part = by_slug[key], pattern[key]
    if not step then return report_key(name, pattern, key, slugs, report) end
    if is_array(step) and type(part) == "table" and value.is_object(part) then
      report("unmeetable_condition", ("%s.%s is an object, and the output of %s is an array: %s"):format(name, key, key, OUTCOMES[name]),
        written(name, { [key] = json.array { next(part) ~= nil and part or nil } }) .. ", which tests its elements")
    end
  end
end

--- Reports conditions of a step that can never be met or never fail.
---@param method "step"|"array"|"map"
---@param good table its options, checked
---@param dependencies luaflow.Step[] all of them
---@param report luaflow.Report
function condition.check(method, good, dependencies, report)
  for _, name in ipairs { "only_if", "unless" } do
    if good[name] then check(name, good[name], method, dependencies, report) end
  end
end

return condition
