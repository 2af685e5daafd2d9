-- Turns what a module raised while it was loaded into a problem with file and line.
local errors = require "luaflow.errors"
local lua_errors = require "luaflow.lua_errors"
local problems = require "luaflow.problems"

local load_errors = {}

local CODES = {
  { "^module '[^']*' not found", "module_not_found" },
  { "^module '[^']*' requires itself: ", "require_loop" },
}

-- Lua shortens the names of long files to "...tail".
local function whole_path(shown, path)
  local tail = shown:match "^%.%.%.(.+)$"
  if tail and path:sub(-#tail) == tail then return path end
  return (shown:gsub("^%./", ""))
end

--- The problem of a file whose load raised.
---@param path string
---@param raised any
---@param encode? fun(value: any, root: string): string? the host's encoder, for tables
---@return table
function load_errors.problem(path, raised, encode)
  local text = errors.text(raised, encode)
  local body = text:gsub("^error loading module '[^\n]*:\n%s*", "")
  local code = body ~= text and "syntax_error" or "load_error"
  local file, line, message = body:match "^([^\n]-):(%d+): (.*)$"
  local where = { file = file and whole_path(file, path) or path, line = tonumber(line) }
  if where.line == 0 then where.line = nil end -- a tail call of require
  message = message or body
  for _, form in ipairs(CODES) do
    if message:find(form[1]) then code = form[2] end
  end
  if code == "require_loop" then
    return problems.new(where, {}, code, message,
      "move what both need into a module of its own, or require one inside the function that uses it")
  end
  local hint_of = code == "syntax_error" and lua_errors.syntax_hint or lua_errors.hint
  local hint = where.file ~= path and "while loading " .. path or hint_of(message)
  return problems.new(where, {}, code, message, hint)
end

return load_errors
