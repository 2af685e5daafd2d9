-- Notes which files are read while modules load, such as prompts and SQL: the host watches them.
local data_files = {}

--- Notes what open and lines of this io read until the returned function is called, which gives the paths in order.
---@param io table that of the modules
---@return fun(): string[]
function data_files.note(io)
  local noted, seen, open, lines, ended = {}, {}, io.open, io.lines, false
  local function note(path)
    if ended or type(path) ~= "string" or seen[path] then return end
    noted[#noted + 1], seen[path] = path, true
  end
  io.open = function(path, mode, ...)
    if mode == nil or tostring(mode):find "^r" then note(path) end
    return open(path, mode, ...)
  end
  io.lines = function(path, ...)
    note(path)
    return lines(path, ...)
  end
  return function()
    io.open, io.lines, ended = open, lines, true
    return noted
  end
end

return data_files
