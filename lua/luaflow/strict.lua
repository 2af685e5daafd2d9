-- Makes a module answer for what it does not have: a misspelt name is an error with the nearest one, and nothing can be added.
local nearest = require "luaflow.nearest"

local strict = {}

local function parameters_of(fn)
  local names = {}
  for i = 1, math.huge do
    local name = debug.getlocal(fn, i)
    if not name then return #names > 0 and table.concat(names, ", ") or "..." end
    names[i] = name
  end
end

-- What users have -> the function behind it.
local originals = setmetatable({}, { __mode = "k" })

-- Called with a colon, a function of a module would take the module, or what the host gives in its place, for its first argument.
-- The tail call leaves no frame.
local function with_a_dot(name, key, fn)
  local text = ("call it with a dot: %s.%s(%s)"):format(name, key, parameters_of(fn))
  local function given(...)
    local mark = type((...)) == "table" and getmetatable((...))
    if mark == name or mark == "luaflow" then error(text, 2) end
    return fn(...)
  end
  originals[given] = fn
  return given
end

--- The function behind one that users have of a module; any other function is its own.
---@param fn function
---@return function
function strict.original(fn)
  return originals[fn] or fn
end

--- Gives a module's table to users, who cannot read or set what it has not, nor call its functions with a colon.
---@generic T: table
---@param name string what users call the module
---@param module T
---@param elsewhere? table<string, string> name -> a hint, of what users look for and the module calls otherwise
---@return T the same table
function strict.module(name, module, elsewhere)
  local names = {}
  for key in pairs(module) do names[#names + 1] = key end
  table.sort(names)
  for _, key in ipairs(names) do
    if type(module[key]) == "function" then module[key] = with_a_dot(name, key, module[key]) end
  end
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
