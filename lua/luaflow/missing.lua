-- Finds the modules that a file would have required after the one that it did not find, so that one load names all that are missing.
local missing = {}

-- The modules that the outermost statements of a text require by a literal name, each once, with the line.
local function required_names(text)
  local found, known, line = {}, {}, 0
  for source in (text .. "\n"):gmatch "(.-)\n" do
    line = line + 1
    if source:find "^%S" then
      for _, name in source:gsub("%-%-.*$", ""):gmatch "%f[%w_]require%s*%(?%s*([\"'])([^\"']+)%1" do
        if not known[name] then known[name], found[#found + 1] = true, { name = name, line = line } end
      end
    end
  end
  return found
end

local function lacks_module(failure, path)
  return type(failure.raised) == "string" and failure.raised:find("^" .. path:gsub("%p", "%%%0") .. ":%d+: module '[^']*' not found")
end

local function look_into(loaded, path, text, report)
  local told = loaded.failed[path].raised
  for _, required in ipairs(required_names(text)) do
    local message = loaded:missing_message(required.name, "")
    if not loaded:exists(required.name) and not told:find(message, 1, true) then report(path, required.line, message) end
  end
end

--- Loads what the files that lack a module also require from the root, and reports what else they lack.
---@param loaded luaflow.Modules after its files were loaded
---@param read fun(path: string): string? the text of a file
---@param load fun(paths: string[]) loads files of the root
---@param report fun(path: string, line: integer, message: string)
---@return string[] paths of files that were loaded meanwhile and failed
function missing.find(loaded, read, load, report)
  local seen, more = {}, {}
  local function look()
    local paths, wanted = {}, {}
    for path, failure in pairs(loaded.failed) do
      if not seen[path] and lacks_module(failure, path) then paths[#paths + 1], seen[path] = path, true end
    end
    table.sort(paths)
    for _, path in ipairs(paths) do
      local text = read(path) or ""
      look_into(loaded, path, text, report)
      for _, required in ipairs(required_names(text)) do
        local other = loaded:path_of(required.name)
        if other and loaded.loaded[other] == nil and not loaded.failed[other] then wanted[#wanted + 1] = other end
      end
    end
    load(wanted)
    for _, path in ipairs(wanted) do
      if loaded.failed[path] then more[#more + 1] = path end
    end
    if #wanted > 0 then look() end
  end
  look()
  return more
end

return missing
