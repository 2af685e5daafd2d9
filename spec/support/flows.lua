-- A temporary root with flow files in it.
local files = require "spec.support.files"

local flows = {}

---@class spec.Root
---@field path string
local root = {}
root.__index = root

--- Makes a root that holds the given files.
---@param contents table<string, string> path below the root -> text
---@return spec.Root
function flows.root(contents)
  local self = setmetatable({ path = files.temporary_folder() }, root)
  self:write(".luaflow-root", "")
  for path, text in pairs(contents) do self:write(path, text) end
  return self
end

--- Writes one file.
---@param path string below the root
---@param text string
function root:write(path, text)
  local folder = path:match "^(.*)/[^/]*$"
  files.make_folder(folder and self:at(folder) or self.path)
  files.write(self:at(path), text)
end

--- The absolute path of something below the root.
---@param path string
---@return string
function root:at(path)
  return self.path .. "/" .. path
end

function root:remove()
  files.remove(self.path)
end

return flows
