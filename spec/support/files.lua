-- Small things with files and temporary folders.
local lfs = require "lfs"

local files = {}

--- The whole content; "" where the file does not exist.
---@param path string
---@return string
function files.read(path)
  local file = io.open(path, "rb")
  if not file then return "" end
  local text = file:read "*a"
  file:close()
  return text or ""
end

---@param path string
---@param text string
function files.write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

--- The lines of a file without their ends.
---@param path string
---@return string[]
function files.lines(path)
  local lines = {}
  for line in files.read(path):gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

--- The last lines of a file.
---@param path string
---@param count integer
---@return string
function files.tail(path, count)
  local lines = files.lines(path)
  return table.concat(lines, "\n", math.max(1, #lines - count + 1))
end

---@param path string
---@return boolean
function files.exists(path)
  return lfs.attributes(path, "mode") ~= nil
end

--- Makes a folder and those above it.
---@param path string
function files.make_folder(path)
  local made = path:sub(1, 1) == "/" and "" or "."
  for name in path:gmatch "[^/]+" do
    made = made .. "/" .. name
    if not files.exists(made) then assert(lfs.mkdir(made)) end
  end
end

--- A new empty folder that everybody may look into, below CHAOS_FOLDER where that is set.
---@return string
function files.temporary_folder()
  local path = os.tmpname()
  os.remove(path)
  local above = os.getenv "CHAOS_FOLDER"
  if above then path = above .. "/" .. path:match "[^/]*$" end
  assert(lfs.mkdir(path))
  return path
end

--- Removes a file or a folder with all that is in it.
---@param path string
function files.remove(path)
  if lfs.symlinkattributes(path, "mode") == "directory" then
    for name in lfs.dir(path) do
      if name ~= "." and name ~= ".." then files.remove(path .. "/" .. name) end
    end
    lfs.rmdir(path)
  else
    os.remove(path)
  end
end

return files
