-- The first argument of a step with dependencies: a table that knows which steps it can hold. One that was skipped is absent; to read
-- any other is a mistake, which would otherwise look like a skipped step.
local json = require "luaflow.json"
local nearest = require "luaflow.nearest"
local position = require "luaflow.position"

local dependencies = {}

--- The metatable of that table, or nil for a step without dependencies. It is written as JSON like any other object.
---@param slugs string[] what the step depends on
---@return table?
function dependencies.metatable(slugs)
  if #slugs == 0 then return nil end
  local known = {}
  for _, slug in ipairs(slugs) do known[slug] = true end
  return setmetatable({
    __index = function(_, key)
      if known[key] or type(key) ~= "string" or key:find "^__" then return nil end -- libraries ask tables for "__..."
      local hint = nearest.hint(key, slugs) or "it depends on " .. table.concat(slugs, ", ")
      error(("this step has no dependency '%s' (%s)"):format(key, hint), position.level_outside())
    end,
  }, json.object_mt)
end

return dependencies
