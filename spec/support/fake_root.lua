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

--- The options that luaflow.loader takes, but for the entries. `counts` says how often each file was run.
---@param sources table<string, string> path -> text
---@return { files: table, require: function, read: function, counts: table<string, integer> }
function fake_root.new(sources)
  local root = { files = {}, counts = {} }
  local loaded = {}
  for path in pairs(sources) do root.files[path] = true end

  function root.read(path) return sources[path] end

  function root.require(name)
    if loaded[name] ~= nil then return loaded[name] end
    local path = find(sources, name)
    if not path then return lua_require(name) end
    local chunk, message = loadstring(sources[path], "@" .. path)
    if not chunk then error(("error loading module '%s' from '%s':\n\t%s"):format(name, path, message), 0) end
    root.counts[path] = (root.counts[path] or 0) + 1
    local ok, value = pcall(chunk, name)
    if not ok then error(value, 0) end
    loaded[name] = value == nil and true or value
    return loaded[name]
  end

  return root
end

return fake_root
