-- Reads and writes JSON text in plain Lua, for what passes between the steps of a run in memory: it gives a handler what the host's
-- codec would give it, and refuses what that refuses, in the same words.
local json = require "luaflow.json"
local utf8 = require "luaflow.utf8"
local value = require "luaflow.value"

local codec = {}

local MAX_DEPTH = 512

-- As of here an integer is an int64_t: a double no longer holds each of them.
local EXACT_LIMIT = 2 ^ 53

-- Integers of more digits, and decimals of a smaller exponent, are written with an exponent.
local POSITIONAL_MAX, POSITIONAL_MIN = 21, -7

-- Far beyond what a double holds, but not beyond what tonumber reads.
local MAX_EXPONENT = 99999

-- ---- writing ----

-- A double above 0 as its shortest digits and the exponent of the first.
local function decimal_of(magnitude)
  for precision = 0, 16 do
    local text = ("%." .. precision .. "e"):format(magnitude)
    if tonumber(text) == magnitude then
      local first, fraction, exponent = text:match "^(%d)%.?(%d*)e([+-]%d+)$"
      local digits = (first .. fraction):gsub("0+$", "")
      return digits, tonumber(exponent)
    end
  end
end

local function positional(digits, exponent)
  local whole = exponent + 1
  if whole <= 0 then return "0." .. ("0"):rep(-whole) .. digits end
  if whole >= #digits then return digits .. ("0"):rep(whole - #digits) end
  return digits:sub(1, whole) .. "." .. digits:sub(whole + 1)
end

--- The JSON text of a number.
---@param number number|ffi.cdata* finite, or an int64_t
---@return string
function codec.number(number)
  if type(number) == "cdata" then return json.tostring(number) end
  local sign = (number < 0 or 1 / number < 0) and "-" or ""
  if number == 0 then return sign .. "0" end
  local digits, exponent = decimal_of(math.abs(number))
  if exponent >= POSITIONAL_MIN and exponent < POSITIONAL_MAX then return sign .. positional(digits, exponent) end
  local fraction = #digits > 1 and "." .. digits:sub(2) or ""
  return ("%s%s%se%d"):format(sign, digits:sub(1, 1), fraction, exponent)
end

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function escape(c)
  return ESCAPES[c] or ("\\u%04x"):format(c:byte())
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return c ~= "\127" and escape(c) or nil end) .. '"'
end

local write

local function write_table(t)
  local parts = {}
  if getmetatable(t) == json.array_mt then
    for i, element in ipairs(t) do parts[i] = write(element) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = quoted(key) .. ":" .. write(t[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

function write(copied)
  if copied == json.null then return "null" end
  if type(copied) == "table" then return write_table(copied) end
  if type(copied) == "string" then return quoted(copied) end
  if type(copied) == "boolean" then return tostring(copied) end
  return codec.number(copied)
end

--- The JSON text of a value, without spaces and with keys in order; or nil and a message that names path and type.
---@param given any
---@param root string stands for the whole value in the message
---@param empty_array? boolean an unmarked empty table as the whole value is `[]`
---@return string? text
---@return string? message
---@return boolean? of_code see luaflow.value
function codec.encode(given, root, empty_array)
  local copy, message, of_code = value.copy(given, root, empty_array)
  if message then return nil, message, of_code end
  return write(copy)
end

-- ---- reading ----

-- Ends a reading; caught by codec.decode alone.
local function refuse(reader, what)
  reader.message = value.path(reader.root, reader.path) .. ": " .. what
  error(reader, 0)
end

local function refuse_text(reader)
  reader.path = {}
  refuse(reader, ("no JSON at byte %d"):format(reader.at))
end

-- What a pattern that is anchored at its start finds here; the reader moves behind it.
local function take(reader, pattern)
  local first, last, captured = reader.text:find(pattern, reader.at)
  if not first then return nil end
  reader.at = last + 1
  return captured or reader.text:sub(first, last)
end

local function skip_space(reader)
  take(reader, "^[ \t\r\n]*")
end

local function fits_int64(negative, digits)
  local limit = negative and "9223372036854775808" or "9223372036854775807"
  return #digits < #limit or (#digits == #limit and digits <= limit)
end

local function int64_of(negative, digits)
  local integer = 0LL
  for digit in digits:gmatch "%d" do integer = integer * 10 - tonumber(digit) end
  return negative and integer or -integer
end

local function read_integer(reader, negative, digits)
  local number = tonumber(digits)
  if fits_int64(negative, digits) then
    local integer = int64_of(negative, digits)
    if integer > EXACT_LIMIT or integer < -EXACT_LIMIT then return integer end
    return negative and -number or number
  end
  if number == math.huge then refuse(reader, "number beyond the range of a double") end
  local shortest, exponent = decimal_of(number)
  if exponent ~= #digits - 1 or shortest ~= digits:gsub("0+$", "") then
    refuse(reader, "integer outside the range of int64_t")
  end
  return negative and -number or number
end

local function read_number(reader)
  local sign = take(reader, "^%-?")
  local whole = take(reader, "^[1-9]%d*") or take(reader, "^0")
  if not whole then refuse_text(reader) end
  local fraction = take(reader, "^%.%d+") or ""
  local exponent = take(reader, "^[eE][+-]?%d+") or ""
  if fraction .. exponent == "" then return read_integer(reader, sign == "-", whole) end
  exponent = exponent:gsub("%d+", function(digits) return math.min(tonumber(digits), MAX_EXPONENT) end)
  local number = tonumber(whole .. fraction .. exponent)
  if number == math.huge then refuse(reader, "number beyond the range of a double") end
  return sign == "-" and -number or number
end

local UNESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function utf8_of(point)
  if point < 0x80 then return string.char(point) end
  if point < 0x800 then return string.char(0xC0 + math.floor(point / 0x40), 0x80 + point % 0x40) end
  local last = string.char(0x80 + math.floor(point / 0x40) % 0x40, 0x80 + point % 0x40)
  if point < 0x10000 then return string.char(0xE0 + math.floor(point / 0x1000)) .. last end
  return string.char(0xF0 + math.floor(point / 0x40000), 0x80 + math.floor(point / 0x1000) % 0x40) .. last
end

-- What follows `\u`; a pair of surrogates is one character.
local function read_code_point(reader)
  local point = tonumber(take(reader, "^%x%x%x%x") or refuse_text(reader), 16)
  if point < 0xD800 or point > 0xDFFF then return utf8_of(point) end
  local low = point < 0xDC00 and take(reader, "^\\u([dD][c-fC-F]%x%x)")
  if not low then refuse_text(reader) end
  return utf8_of(0x10000 + (point - 0xD800) * 0x400 + tonumber(low, 16) - 0xDC00)
end

local function read_string(reader)
  local parts = {}
  take(reader, '^"')
  while not take(reader, '^"') do
    local plain = take(reader, '^[^%c"\\]+') or take(reader, "^\127+")
    if plain then
      parts[#parts + 1] = plain
    elseif take(reader, "^\\u") then
      parts[#parts + 1] = read_code_point(reader)
    else
      parts[#parts + 1] = UNESCAPES[take(reader, "^\\(.)") or ""] or refuse_text(reader)
    end
  end
  local text = table.concat(parts)
  if not utf8.is_valid(text) then refuse(reader, "string that is not valid UTF-8") end
  return text
end

local read

-- Elements up to the closing character; `add` reads one of them.
local function read_elements(reader, close, add)
  if #reader.path == MAX_DEPTH then refuse(reader, "nested deeper than 512") end
  local depth, count = #reader.path + 1, 0
  reader.at = reader.at + 1
  skip_space(reader)
  while not take(reader, "^" .. close) do
    if count > 0 and not take(reader, "^,") then refuse_text(reader) end
    count = count + 1
    add(depth, count)
    reader.path[depth] = nil
    skip_space(reader)
  end
  return count
end

local function read_array(reader)
  local array = json.array()
  read_elements(reader, "%]", function(depth, count)
    reader.path[depth] = count
    array[count] = read(reader)
  end)
  return array
end

local function read_object(reader)
  local object = {}
  local count = read_elements(reader, "}", function(depth)
    skip_space(reader)
    if reader.text:sub(reader.at, reader.at) ~= '"' then refuse_text(reader) end
    local key = read_string(reader)
    skip_space(reader)
    if not take(reader, "^:") then refuse_text(reader) end
    reader.path[depth] = key
    object[key] = read(reader)
  end)
  return count == 0 and json.object(object) or object
end

local WORDS = { { "^true", true }, { "^false", false }, { "^null", json.null } }

function read(reader)
  skip_space(reader)
  local first = reader.text:sub(reader.at, reader.at)
  if first == "{" then return read_object(reader) end
  if first == "[" then return read_array(reader) end
  if first == '"' then return read_string(reader) end
  for _, word in ipairs(WORDS) do
    if take(reader, word[1]) then return word[2] end
  end
  return read_number(reader)
end

local function read_all(reader)
  local result = read(reader)
  skip_space(reader)
  if reader.at <= #reader.text then refuse_text(reader) end
  return result
end

--- The value of a JSON text; or nil and a message.
---@param text string
---@param root string stands for the whole value in the message
---@return any value null is `luaflow.null`
---@return string? message
function codec.decode(text, root)
  local reader = { text = text, root = root, at = 1, path = {}, message = nil }
  local ok, result = pcall(read_all, reader)
  if ok then return result end
  if result ~= reader then error(result, 0) end
  return nil, reader.message
end

return codec
