-- Finds the files that others require and that give them nothing: one whose copy has just begun, or has come to the end of a
-- statement, looks like this.
local lacks = {}

-- What is wrong with what a required module gives to those that require it; nil: nothing.
local function lack_of(path, loaded, read)
  local name, value = loaded:name_of(path), loaded.loaded[path]
  if value == false then
    return "no_value", ("module '%s' returns false, so each require runs it again"):format(name),
      "write `return` of what it provides at its end"
  elseif value ~= true or not loaded.silent[path] then
    return nil
  elseif (read(path) or "x"):gsub("%-%-[^\n]*", ""):find "^%s*$" then
    return "empty_module", ("module '%s' has no code, but another file requires it"):format(name),
      "was it copied in part? copy it again, or remove the require"
  end
  return "no_value", ("module '%s' returns nothing, so require gives true: was it copied in part?"):format(name),
    "write `return` of what it provides at its end; `return true` if it provides nothing"
end

--- Reports what is wrong with what required files give.
---@param loaded luaflow.Modules after its files were loaded
---@param read fun(path: string): string? the text of a file
---@param excused fun(path: string): boolean? the file has a problem of its own for this
---@param report fun(path: string, code: string, message: string, hint: string)
function lacks.find(loaded, read, excused, report)
  local required = {}
  for path in pairs(loaded.required) do required[#required + 1] = path end
  table.sort(required)
  for _, path in ipairs(required) do
    local code, message, hint = lack_of(path, loaded, read)
    if code and not excused(path) then report(path, code, message, hint) end
  end
end

return lacks
