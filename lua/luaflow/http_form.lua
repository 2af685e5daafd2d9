-- Names and values of a query or a form as the text that goes into a URL or a body; libcurl encodes them.
local bytes = require "luaflow.bytes"
local json = require "luaflow.json"

local http_form = {}

local function text_of(value)
  if type(value) == "string" then return value end
  if type(value) == "number" or type(value) == "cdata" or type(value) == "boolean" then return json.tostring(value) end
end

--- The pairs of a table, sorted by name: `a=1&b=x%20y`. A list gives its name several times.
---@param given table<string, string|number|boolean|table>
---@return string? text
---@return string? message
function http_form.encode(given)
  local names, parts = {}, {}
  for name in pairs(given) do
    if type(name) ~= "string" then return nil, ("its names must be strings, not a %s"):format(type(name)) end
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local values = type(given[name]) == "table" and given[name] or { given[name] }
    for _, value in ipairs(values) do
      local text = text_of(value)
      if not text then return nil, ("%s must be a string, a number, a boolean or a list of them, not a %s"):format(name, type(value)) end
      parts[#parts + 1] = bytes.url_encode(name) .. "=" .. bytes.url_encode(text)
    end
  end
  return table.concat(parts, "&")
end

jit.off(http_form.encode) -- see luaflow.json

--- A URL with a query behind the one that it may have.
---@param url string
---@param query string
---@return string
function http_form.add_query(url, query)
  if query == "" then return url end
  local before, fragment = url:match "^([^#]*)(.*)$"
  return before .. (before:find("?", 1, true) and "&" or "?") .. query .. fragment
end

return http_form
