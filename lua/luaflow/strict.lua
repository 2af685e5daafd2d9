-- Makes a module answer for what it does not have: a misspelt name is an error with the nearest one, and nothing can be added.
local nearest = require "luaflow.nearest"

local strict = {}

--- Gives a module's table to users, who cannot read or set what it has not.
---@generic T: table
---@param name string what users call the module
---@param module T
---@param elsewhere? table<string, string> name -> a hint, of what users look for and the module calls otherwise
---@return T the same table
function strict.module(name, module, elsewhere)
  local names = {}
  for key in pairs(module) do names[#names + 1] = key end
  table.sort(names)
  return setmetatable(module, {
    __metatable = name,
    __index = function(_, key)
      local hint = elsewhere and elsewhere[key] or nearest.hint(key, names) or "it has " .. table.concat(names, ", ")
      error(("%s has no %s: %s"):format(name, tostring(key), hint), 2)
    end,
    __newindex = function(_, key)
      error(("%s is read-only: %s cannot be set; keep it in a local or in a module of your own"):format(name, tostring(key)), 2)
    end,
  })
end

--- As strict.module, and what the module has cannot be set either; `pairs` finds nothing in it.
---@generic T: table
---@param name string
---@param module T
---@return T
function strict.sealed(name, module)
  local inner = strict.module(name, module)
  return setmetatable({}, { __metatable = name, __index = inner, __newindex = debug.getmetatable(inner).__newindex })
end

return strict
