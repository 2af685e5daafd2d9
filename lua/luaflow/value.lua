-- Copies JSON values without a codec; fails with the codec's own words for what JSON or jsonb cannot hold.
-- Metamethods are not called, as in the codec.
local ffi = require "ffi"
local json = require "luaflow.json"
local utf8 = require "luaflow.utf8"

local value = {}

local MAX_DEPTH = 512

local int64_t, uint64_t = ffi.typeof "int64_t", ffi.typeof "uint64_t"

-- Parts of a long path that are shown at its start and its end.
local PATH_HEAD, PATH_TAIL = 8, 4

local function control_escape(c)
  return ("\\u%04x"):format(c:byte())
end

local function path_part(key)
  if type(key) == "number" then return ("[%d]"):format(key) end
  if key:find "^[%a_][%w_]*$" then return "." .. key end
  return '["' .. utf8.clean(key):gsub('["\\]', "\\%0"):gsub("[\1-\31]", control_escape) .. '"]'
end

--- The place of a part in a value, as messages name it: `output.items[3].when`.
---@param root string stands for the whole value
---@param path (string|integer)[] the keys that lead to the part
---@return string
function value.path(root, path)
  local parts, depth = { root }, #path
  local shorten = depth > PATH_HEAD + PATH_TAIL
  for i, key in ipairs(path) do
    if not shorten or i <= PATH_HEAD or i > depth - PATH_TAIL then parts[#parts + 1] = path_part(key)
    elseif i == PATH_HEAD + 1 then parts[#parts + 1] = "..." end
  end
  return table.concat(parts)
end

-- Ends a copy; caught by value.copy alone.
local function refuse_as_it_is(walk, why)
  walk.message = value.path(walk.root, walk.path) .. ": " .. why
  error(walk, 0)
end

local function refuse(walk, what)
  refuse_as_it_is(walk, what .. ", which JSON cannot hold")
end

-- Refuses what no data can bring about: a value that has no counterpart in JSON, or a cycle.
local function refuse_code(walk, what)
  walk.of_code = true
  refuse(walk, what)
end

local function copy_string(walk, text)
  if text:find("%z") then refuse_as_it_is(walk, "string with U+0000, which jsonb cannot hold") end
  if not utf8.is_valid(text) then refuse_as_it_is(walk, "string that is not valid UTF-8") end
  return text
end

local function copy_number(walk, number)
  if number ~= number then refuse(walk, "NaN") end
  if number == math.huge or number == -math.huge then refuse(walk, "infinity") end
  return number
end

local function copy_cdata(walk, integer)
  if ffi.istype(uint64_t, integer) then
    if integer > 0x7fffffffffffffffULL then refuse_as_it_is(walk, "integer outside the range of int64_t") end
    return ffi.cast(int64_t, integer)
  end
  if not ffi.istype(int64_t, integer) then refuse_code(walk, "cdata") end
  return integer
end

-- How many string keys and array indexes a table has, and whether a value of its mark may have them.
local function take_census(walk, t, mark)
  local strings, indexes, highest, other = 0, 0, 0, nil
  for key in next, t do
    if type(key) == "string" then
      strings = strings + 1
    elseif type(key) == "number" and key >= 1 and key == math.floor(key) then
      indexes, highest = indexes + 1, math.max(highest, key)
    else
      other = type(key)
    end
  end
  if other == "number" then refuse(walk, "table with a number key that is not an array index") end
  if other then refuse_code(walk, "table with a key of type " .. other) end
  if mark == json.array_mt and strings > 0 then refuse(walk, "array with string keys") end
  if mark == json.object_mt and indexes > 0 then refuse(walk, "object with number keys") end
  if strings > 0 and indexes > 0 then refuse(walk, "table with both string and number keys") end
  if indexes ~= highest then
    local hole = 1
    while rawget(t, hole) ~= nil do hole = hole + 1 end
    refuse(walk, "array with a hole at " .. hole)
  end
  return indexes
end

local copy_any

local function copy_table(walk, t)
  if walk.open[t] then refuse_code(walk, "cycle") end
  if #walk.path == MAX_DEPTH then refuse_as_it_is(walk, "nested deeper than 512") end
  local mark = json.mark(t)
  local count = take_census(walk, t, mark)
  if count > 0 or (#walk.path == 0 and walk.empty_array and next(t) == nil) then mark = mark or json.array_mt end
  if next(t) == nil then mark = mark or json.object_mt end

  walk.open[t] = true
  local result, depth = {}, #walk.path + 1
  for key, element in next, t do
    walk.path[depth] = key
    if type(key) == "string" then copy_string(walk, key) end
    result[key] = copy_any(walk, element)
  end
  walk.path[depth], walk.open[t] = nil, nil
  return setmetatable(result, mark)
end

function copy_any(walk, source)
  local kind = type(source)
  if kind == "table" then return copy_table(walk, source) end
  if kind == "string" then return copy_string(walk, source) end
  if kind == "number" then return copy_number(walk, source) end
  if kind == "cdata" then return copy_cdata(walk, source) end
  if json.is_null(source) then return json.null end
  if kind == "boolean" then return source end
  return refuse_code(walk, kind)
end

--- A deep copy of a JSON value, with nil as null and the marks that the codec would give it; or nil and a message that
--- names the path and the type, never a value.
---@param source any
---@param root string stands for the whole value in the message, such as "output"
---@param empty_array? boolean an unmarked empty table as the whole value is `[]`
---@return any copy
---@return string? message
---@return boolean? of_code whether the code alone is at fault, whatever its data are
function value.copy(source, root, empty_array)
  local walk = { root = root, empty_array = empty_array, path = {}, open = {}, message = nil, of_code = false }
  local ok, result = pcall(copy_any, walk, source)
  if ok then return result end
  if result ~= walk then error(result, 0) end
  return nil, walk.message, walk.of_code
end

--- True for a copy that is written as a JSON object.
---@param copied any what `value.copy` returned
---@return boolean
function value.is_object(copied)
  return type(copied) == "table" and getmetatable(copied) ~= json.array_mt
end

return value
