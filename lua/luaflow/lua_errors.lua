-- Adds to Lua's own messages what to do, where it can be known from the message.
local nearest = require "luaflow.nearest"

local lua_errors = {}

local function names_of(t, also)
  local names = { also }
  for name in pairs(t) do names[#names + 1] = type(name) == "string" and name or nil end
  table.sort(names)
  return names
end

-- What writers of other languages write, by what Lua's parser says of it.
local FOREIGN_SYNTAX = {
  { "near '!'$", "Lua writes ~= for unequal, and not for negation" },
  { "near '!='$", "Lua writes ~= for unequal" },
  { "near '&'$", "Lua writes and" },
  { "near '|'$", "Lua writes or" },
  { "near '[+]'$", "Lua has no ++ and +=: write a = a + 1" },
  { "near 'elif'$", "Lua writes elseif" },
  { "'then' expected near", "Lua writes if CONDITION then ... end, and == to compare" },
  { "'do' expected near", "Lua writes for ... do ... end and while CONDITION do ... end" },
  { "'=' expected near", "a name alone is no statement: local a = 1 declares, f() calls" },
  { "unexpected symbol near '{'$", "Lua has no blocks in { }: write then, do or function() ... end" },
  { "'}' expected .*near ':'$", 'fields are written a = 1 or ["a b"] = 1' },
  { "'}' expected .*near", "is a comma missing before it?" },
  { "'%)' expected .*near", "is a comma, an end or a parenthesis missing before it?" },
  { "'end' expected near '?<eof>'?$", "a function, if, for or while has no end" },
  { "unfinished string near", "a quote is missing in this line; longer texts stand in [[ ]]" },
}

--- What to do about a message of Lua's parser; nil where that is not known.
---@param message string
---@return string?
function lua_errors.syntax_hint(message)
  local open, line = message:match "'end' expected %(to close '(%a+)' at line (%d+)%) near '?<eof>"
  if open then return ("the %s of line %s, or one inside it, has no end"):format(open, line) end
  for _, form in ipairs(FOREIGN_SYNTAX) do
    if message:find(form[1]) then return form[2] end
  end
end

--- What to do about a message of Lua's, which may have a place before it; nil where that is not known.
---@param message string
---@return string?
function lua_errors.hint(message)
  local global = message:match "attempt to %a+ global '([^']*)' %(a nil value%)"
  if global == "ctx" then return "ctx is the handler's second parameter: function(input, ctx)" end
  if global then return nearest.hint(global, names_of(_G, "luaflow")) end -- which most files have as a local
  local method = message:match "attempt to call method '([^']*)' %(a nil value%)"
  if method then return nearest.hint(method, names_of(string)) end
  if message:find "attempt to index .*nil value" then return "it is absent: luaflow.get reads a path through what is absent" end
  if message:find "'for' %a+ value must be a number$" or message:find "'for' limit must be a number$" then
    return "nil, JSON null and strings are no numbers"
  end
  if message:find "attempt to call method 'tx' " then return "write ctx.tx:query(sql, ...), in a step with transaction = true" end
  if message:find "stack overflow$" then return "is this a function that calls itself without an end?" end
end

--- Where a module comes from that was not found.
---@param name string
---@return string
function lua_errors.remedy_of_missing(name)
  if name:find "^%a*json$" then return "luaflow.json reads and writes JSON" end
  local install = ("install it into the project, `luarocks --tree lua_modules install %s`, or on the machine"):format(name)
  return name:find "%." and ("create %s.lua below the root, or %s"):format(name:gsub("%.", "/"), install) or install
end

-- The functions of the standard libraries, by which Lua calls them `?` where a method or an alias was called.
local library_names = {}
for _, library in ipairs { "string", "table", "math" } do
  for name, fn in pairs(_G[library]) do library_names[fn] = library .. "." .. name end
end

--- The message with the name of the function that Lua has none for.
---@param value any
---@param level integer of the function that raised it, counted as debug.getinfo does
---@return any
function lua_errors.with_function(value, level)
  if type(value) ~= "string" or not value:find "bad argument #%d+ to '%?'" then return value end
  local info = debug.getinfo(level + 1, "f")
  local name = info and library_names[info.func]
  return name and value:gsub("to '%?'", ("to '%s'"):format(name), 1) or value
end

--- The message with that behind it; of a module that was not found, without the list of places searched.
---@param message string
---@return string
function lua_errors.explained(message)
  local before, name = message:match "^(.-)module '([^']*)' not found:\n"
  if name then
    return ("%smodule '%s' not found below the root, in its folders lua and lua_modules, or in LUA_PATH (%s)"):format(
      before, name, lua_errors.remedy_of_missing(name))
  end
  local hint = lua_errors.hint(message)
  return hint and ("%s (%s)"):format(message, hint) or message
end

return lua_errors
