-- Tables of the guides, so that specs can hold them against what the program does.
local files = require "spec.support.files"

local guide = {}

local function cells_of(line)
  local cells = {}
  for cell in line:gmatch "|%s*(.-)%s*%f[|]" do cells[#cells + 1] = cell end
  return cells
end

--- The rows of the first table under a heading: cells by their column.
---@param path string
---@param heading string
---@return table<string, string>[]
function guide.table(path, heading)
  local rows, columns, inside = {}, nil, false
  for _, line in ipairs(files.lines(path)) do
    if line:find "^#" then inside = line:find(heading, 1, true) ~= nil end
    local cells = inside and line:find "^|" and cells_of(line)
    if cells and not columns then
      columns = cells
    elseif cells and not line:find "^|%-" and not line:find "^| %-" then
      local row = {}
      for i, column in ipairs(columns) do row[column] = cells[i] end
      rows[#rows + 1] = row
    end
  end
  return rows
end

--- The text of the first block of Lua in a guide that has this text in it.
---@param path string
---@param text string
---@return string
function guide.lua(path, text)
  for block in files.read(path):gmatch "```lua\n(.-)```" do
    if block:find(text, 1, true) then return block end
  end
  error(("%s has no block of Lua with %s"):format(path, text))
end

return guide
