-- A root of Lua files in memory, with a `require` of its own that behaves like Lua's.
local fake_root = {}

local lua_require = require
local TEMPLATES = { "%s.lua", "%s/init.lua", "lua/%s.lua", "lua/%s/init.lua" }

local function find(sources, name)
  for _, template in ipairs(TEMPLATES) do
    local path = template:format((name:gsub("%.", "/")))
    if sources[path] then return path end
  end
end

local current -- the root whose module is being loaded

table.insert(package.loaders, 1, function(name)
  return current and current.search(name)
end)

-- Runs Lua's own require as if no module had been loaded under this name.
local function require_again(root, name)
  local others, outer = package.loaded[name], current
  package.loaded[name], current = nil, root
  local ok, value = pcall(lua_require, name)
  package.loaded[name], current = others, outer
  if not ok then error(value, 0) end
  return value
end

--- The options that luaflow.loader takes, but for the entries. `counts` says how often each file was run.
---@param sources table<string, string> path -> text
---@return { files: table, require: function, read: function, counts: table<string, integer> }
function fake_root.new(sources)
  local root = { files = {}, counts = {} }
  local loaded = {}
  for path in pairs(sources) do root.files[path] = true end

  function root.read(path) return sources[path] end

  function root.search(name)
    local path = find(sources, name)
    if not path then return nil end
    local chunk, message = loadstring(sources[path], "@" .. path)
    if not chunk then error(("error loading module '%s' from '%s':\n\t%s"):format(name, path, message), 0) end
    root.counts[path] = (root.counts[path] or 0) + 1
    return chunk
  end

  function root.require(name)
    if not find(sources, name) then return lua_require(name) end
    if loaded[name] == nil then loaded[name] = require_again(root, name) end
    return loaded[name]
  end

  return root
end

return fake_root
