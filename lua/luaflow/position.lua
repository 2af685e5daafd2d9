-- Finds where a definition was written: file and line of the call that built it. A tail call, as in `return flow:step(...)`,
-- leaves no frame behind; then the place is that of the handler, or of what came before it in the chain.
local position = {}

local OWN_FOLDER = debug.getinfo(1, "S").source:match "^(.-)[^/]*$"

local function file_of(info)
  if info.source:sub(1, 1) ~= "@" then return info.short_src end
  return (info.source:sub(2):gsub("^%./", ""))
end

local function place_of_frame(info)
  if not info or info.currentline < 1 or info.source:sub(1, #OWN_FOLDER) == OWN_FOLDER then return nil end
  return { file = file_of(info), line = info.currentline }
end

local function place_of_handler(handler)
  if type(handler) ~= "function" then return nil end
  local info = debug.getinfo(handler, "S")
  return info.linedefined > 0 and { file = file_of(info), line = info.linedefined } or nil
end

--- The place of the call to the function that calls this one. Fields are nil where they cannot be known.
---@param name string the name under which users call that function: another name in the frame means a lost frame
---@param handler? any the handler that the call was given
---@param previous? luaflow.Place of the call before it in the chain
---@return luaflow.Place
function position.of_call(name, handler, previous)
  local called = debug.getinfo(2, "n")
  local frame = place_of_frame(debug.getinfo(3, "Sl"))
  if called.name == name and frame then return frame end
  return place_of_handler(handler) or previous or frame or {}
end

--- The level, as `error` counts for the function that calls this one, of the nearest function that is not of this library.
---@return integer
function position.level_outside()
  local level = 2
  while true do
    local info = debug.getinfo(level + 1, "S")
    if not info or info.source:sub(1, #OWN_FOLDER) ~= OWN_FOLDER then return level end
    level = level + 1
  end
end

return position
