-- `luaflow.json`: JSON text for handlers, by the codec that also reads their inputs and writes their outputs.
local host = require "luaflow.host"

local json_text = {}

local OPTIONS = { pretty = true, sort_keys = true }
local INDENT = "  "

-- The same text with a line for each element; `text` has no spaces outside of strings.
local function pretty(text)
  local parts, depth, at = {}, 0, 1
  local function line_break(change)
    depth = depth + change
    parts[#parts + 1] = "\n" .. INDENT:rep(depth)
  end
  while at <= #text do
    local token = text:match('^"[^"\\]*"', at) or text:match("^%[%]", at) or text:match("^{}", at) or text:match('^[^"%[%]{},:]+', at)
    if not token and text:sub(at, at) == '"' then
      local stop = at + 1
      while text:sub(stop, stop) ~= '"' do stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1) end
      token = text:sub(at, stop)
    end
    token = token or text:sub(at, at)
    if token == "}" or token == "]" then line_break(-1) end
    parts[#parts + 1] = token
    if token == "{" or token == "[" then line_break(1) end
    if token == "," then line_break(0) end
    if token == ":" then parts[#parts + 1] = " " end
    at = at + #token
  end
  return table.concat(parts)
end

local function check_options(options)
  if options == nil then return {} end
  if type(options) ~= "table" then error("luaflow.json.encode: options must be a table", 3) end
  for name in pairs(options) do
    if not OPTIONS[name] then error(("luaflow.json.encode has no option %s: it has pretty, sort_keys"):format(tostring(name)), 3) end
  end
  return options
end

-- What stands around a byte of a text, on one line.
local function excerpt(text, at)
  local from = math.max(1, at - 12)
  return '"' .. text:sub(from, from + 24):gsub("[%c\128-\255]", " ") .. '"'
end

--- The value of a JSON text: null is luaflow.null, arrays are marked, integers beyond 2^53 are int64_t. Raises if it is no JSON.
---@param text string
---@return any
function json_text.decode(text)
  if type(text) ~= "string" then error(("luaflow.json.decode: text must be a string, not a %s"):format(type(text)), 2) end
  local value, message, at = host.decode(text, "text")
  if message and at then message = ("%s, at byte %d, near %s"):format(message, at, excerpt(text, at)) end
  if message then error("luaflow.json.decode: " .. message, 2) end
  return value
end

--- The JSON text of a value. Raises for what JSON cannot hold, with the path. Keys are always sorted.
---@param value any nil is null
---@param options? { pretty: boolean?, sort_keys: boolean? } pretty: a line for each element
---@return string
function json_text.encode(value, options)
  options = check_options(options)
  local text, message = host.encode(value, "value")
  if not text then error("luaflow.json.encode: " .. message, 2) end
  return options.pretty and pretty(text) or text
end

return json_text
