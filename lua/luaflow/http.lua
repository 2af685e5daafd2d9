-- Sends HTTP requests of handlers (`require "luaflow.http"`). A request suspends the handler, not the process. Pure Lua over the
-- host's `http`, which does one hop: what is checked before and what follows after a redirect is here.
local errors = require "luaflow.errors"
local host = require "luaflow.host"
local http_form = require "luaflow.http_form"
local json = require "luaflow.json"
local nearest = require "luaflow.nearest"
local position = require "luaflow.position"
local strict = require "luaflow.strict"
local utf8 = require "luaflow.utf8"

local http = {}

local MAX_REDIRECTS = 10
local MAX_TIMEOUT = 1e6 -- seconds
local MAX_RETRY_AFTER = 86400 -- seconds, the longest delay of luaflow.retry_after
local SHOWN_BYTES = 60 -- of a body that is not JSON
local TOKEN = "^[%w!#$%%&'*+.^_`|~-]+$"

---@class luaflow.HttpRequest
---@field url string http:// or https://; spaces are encoded
---@field query? table<string, string|number|boolean|table> added to the URL's query; a list gives its name several times
---@field method? string default: GET, or POST with a body
---@field headers? table<string, string|number|string[]>
---@field body? string
---@field json? any sent as the body, with its content type
---@field form? table<string, string|number|boolean|table> sent as the body of a form, with its content type
---@field timeout? number seconds for the whole request, redirects included; default: what is left of the attempt
---@field redirects? boolean false: a redirect is an answer like any other
---@field ca_file? string path of the certificate authorities to trust instead of the system's

---@class luaflow.HttpResponse
---@field status integer
---@field headers table<string, string> by lower-case name; values of a repeated one are joined by ", ", of set-cookie by newlines
---@field body string
---@field retry_after number? seconds from the answer to the date of its Retry-After, if that names one; see http.retry_after
---@field json fun(response: luaflow.HttpResponse): any the decoded body; raises if it is not JSON

---@class luaflow.HttpError
---@field kind "timeout"|"dns"|"connect"|"tls"|"connection"|"protocol"|"redirects"|"proxy"|"too_large"|"json"|"invalid"|"failed"
---@field message string with file:line
---@field url string? without credentials, query and fragment

local error_mt = {
  __name = "luaflow.HttpError",
  __metatable = "luaflow.HttpError",
  __tostring = function(problem) return problem.message end,
}

-- `where` is the place of the handler's call.
local function raise(where, kind, message, url)
  errors.raise(where, setmetatable({ kind = kind, message = message, url = url }, error_mt))
end

local OPTIONS = { "url", "query", "method", "headers", "body", "json", "form", "timeout", "redirects", "ca_file" }
local BODIES = { "body", "json", "form" }
local IS_OPTION = {}
for _, name in ipairs(OPTIONS) do IS_OPTION[name] = true end

-- What describes the body that libcurl sends: set by it, or the request could be read in two ways.
local FRAMING = { ["content-length"] = true, ["transfer-encoding"] = true, expect = true, connection = true }

local function text_of(value)
  if type(value) == "number" then return json.tostring(value) end
  return type(value) == "string" and value or nil
end

-- Checks one header's value and appends it, with its name, to the list.
local function add_header(list, name, value, refuse)
  local text = text_of(value)
  if not text then refuse(("header %s must be a string, a number or a list of them, not a %s"):format(name, type(value))) end
  if text:find "[%z\1-\8\10-\31\127]" then refuse(("header %s has a line break or another control character in its value"):format(name)) end
  list[#list + 1], list[#list + 2] = name, text
end

local function check_name(name, seen, refuse)
  if type(name) ~= "string" or not name:find(TOKEN) then refuse(("%q is not the name of a header"):format(tostring(name))) end
  local lower = name:lower()
  if FRAMING[lower] then refuse(("header %s is set by luaflow"):format(name)) end
  if seen[lower] then refuse(("header %s is given twice, as %s too"):format(name, seen[lower])) end
  seen[lower] = name
end

-- The list of names and values, sorted by name.
local function header_list(headers, refuse)
  if headers == nil then return {}, {} end
  if type(headers) ~= "table" then refuse(("headers must be a table, not a %s"):format(type(headers))) end
  local names, seen, list = {}, {}, {}
  for name in pairs(headers) do
    check_name(name, seen, refuse)
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local value = headers[name]
    if type(value) == "table" then
      for _, one in ipairs(value) do add_header(list, name, one, refuse) end
    else
      add_header(list, name, value, refuse)
    end
  end
  return list, seen
end

jit.off(header_list) -- see luaflow.json

local function check_names(options, refuse)
  for name in pairs(options) do
    if not IS_OPTION[name] then
      local hint = nearest.hint(name, OPTIONS)
      refuse(("unknown option %s%s"):format(tostring(name), hint and ": " .. hint or ""))
    end
  end
end

local function check_type(options, name, wanted, refuse)
  local value = options[name]
  if value ~= nil and type(value) ~= wanted then refuse(("%s must be a %s, not a %s"):format(name, wanted, type(value))) end
  return value
end

local function check_text(options, name, refuse)
  local text = check_type(options, name, "string", refuse)
  if text and text:find "%z" then refuse(("%s holds a NUL byte"):format(name)) end
  return text
end

local function check_method(options, body, refuse)
  local method = check_type(options, "method", "string", refuse) or (body and "POST" or "GET")
  if not method:find(TOKEN) then refuse(("%q is not an HTTP method"):format(method)) end
  method = method:upper()
  if method == "CONNECT" then refuse "a handler cannot use the method CONNECT" end
  if method == "HEAD" and body then refuse "a HEAD request has no body" end
  return method
end

-- A table of names and values as text; nil where the option is not given.
local function check_form(options, name, refuse)
  local given = check_type(options, name, "table", refuse)
  if not given then return nil end
  local text, message = http_form.encode(given)
  if not text then refuse(("%s: %s"):format(name, message)) end
  return text
end

-- The body and its content type, where luaflow knows it.
local function check_body(options, refuse)
  local given
  for _, name in ipairs(BODIES) do
    if options[name] ~= nil and given then refuse(("give %s or %s, not both"):format(given, name)) end
    if options[name] ~= nil then given = name end
  end
  if given == "form" then return check_form(options, "form", refuse), "application/x-www-form-urlencoded" end
  if given ~= "json" then return check_type(options, "body", "string", refuse) end
  local body, message = host.encode(options.json, "json")
  if not body then refuse(message) end
  return body, "application/json"
end

local function check_url(options, refuse)
  local url = check_text(options, "url", refuse) or refuse "url is needed"
  if not url:lower():find "^https?://." then
    local shown = url:gsub("^.*@", "...@"):gsub("[?#].*$", ""):sub(1, SHOWN_BYTES) -- without credentials and query
    refuse(("url must begin with http:// or https://, and %q does not"):format(shown))
  end
  local query = check_form(options, "query", refuse)
  return http_form.add_query((url:gsub(" ", "%%20")), query or "")
end

local function check_timeout(options, refuse)
  local timeout = check_type(options, "timeout", "number", refuse)
  if timeout and not (timeout > 0 and timeout <= MAX_TIMEOUT) then
    refuse(("timeout must be a number of seconds above 0 and at most %d"):format(MAX_TIMEOUT))
  end
  return timeout
end

-- The host's request.
local function check(options, where)
  local function refuse(message) raise(where, "invalid", "http.request: " .. message) end
  if type(options) ~= "table" then refuse "call it with a table: http.request{ url = ... }" end
  check_names(options, refuse)
  local url = check_url(options, refuse)
  local headers, seen = header_list(options.headers, refuse)
  local body, content_type = check_body(options, refuse)
  if content_type and not seen["content-type"] then add_header(headers, "Content-Type", content_type, refuse) end
  check_type(options, "redirects", "boolean", refuse)
  return {
    url = url, method = check_method(options, body, refuse), headers = headers, body = body,
    timeout = check_timeout(options, refuse), ca_file = check_text(options, "ca_file", refuse),
  }
end

-- Names of headers that a request to another origin does not carry, and that one without the body does not.
local SECRET = { authorization = true, cookie = true, ["proxy-authorization"] = true, host = true }
local OF_BODY = { ["content-type"] = true, ["content-encoding"] = true, ["content-language"] = true, ["content-location"] = true }

local function without(headers, names)
  local kept = {}
  for i = 1, #headers, 2 do
    if not names[headers[i]:lower()] then kept[#kept + 1], kept[#kept + 2] = headers[i], headers[i + 1] end
  end
  return kept
end

-- The request that a redirect asks for. 303, and by custom 301 and 302 of a POST, turn it into a GET. libcurl does not
-- follow redirects here, because version 7.88 (Debian 12) repeats DELETE and PATCH after a 303, against what the guide documents.
local function follow(request, answer)
  local becomes_get = answer.status == 303 and request.method ~= "HEAD" or answer.status < 303 and request.method == "POST"
  local headers = answer.same_origin and request.headers or without(request.headers, SECRET)
  return {
    url = answer.redirect, ca_file = request.ca_file,
    method = becomes_get and "GET" or request.method,
    headers = becomes_get and without(headers, OF_BODY) or headers,
    body = not becomes_get and request.body or nil,
  }
end

local response_mt = { __name = "luaflow.HttpResponse", __index = {} }

-- What each response answered, for errors: method and URL without credentials and query.
local asked = setmetatable({}, { __mode = "k" })

local function response_of(answer, method)
  local headers = {}
  for i = 1, #answer.headers, 2 do
    local name, value = answer.headers[i]:lower(), answer.headers[i + 1]
    local glue = name == "set-cookie" and "\n" or ", "
    headers[name] = headers[name] and headers[name] .. glue .. value or value
  end
  local response = { status = answer.status, headers = headers, body = answer.body, retry_after = answer.retry_after }
  asked[response] = { method = method, url = answer.url }
  return setmetatable(response, response_mt)
end

-- Seconds left until the time, for the request that is sent next.
local function left(ends_at, request, where, url)
  if not ends_at then return nil end
  local seconds = ends_at - host.now()
  if seconds <= 0 then raise(where, "timeout", ("%s %s: timed out while it followed redirects"):format(request.method, url), url) end
  return seconds
end

--- Sends a request and waits for the answer. A status is not an error; what kept the answer from coming is raised as a luaflow.HttpError.
---@param options luaflow.HttpRequest
---@return luaflow.HttpResponse
function http.request(options)
  local where = position.of_call "request"
  local request = check(options, where)
  local ends_at = request.timeout and host.now() + request.timeout
  for hop = 0, MAX_REDIRECTS do
    local answer, kind, reason, url = host.http(request)
    if kind == "invalid" then raise(where, kind, "http.request: url: " .. reason, url) end
    if not answer then raise(where, kind, ("%s %s: %s"):format(request.method, url, reason), url) end
    if options.redirects == false or not (answer.redirect or answer.bad_redirect) then return response_of(answer, request.method) end
    url = answer.url
    if answer.bad_redirect then
      raise(where, "redirects", ("%s %s: it redirects to an unusable URL: %s"):format(request.method, url, answer.bad_redirect), url)
    end
    if hop == MAX_REDIRECTS then
      raise(where, "redirects", ("%s %s: more than %d redirects"):format(request.method, url, MAX_REDIRECTS), url)
    end
    request = follow(request, answer)
    request.timeout = left(ends_at, request, where, url)
  end
end

local function decode(response, where)
  if getmetatable(response) ~= response_mt then raise(where, "invalid", "http.json expects a response of http.request") end
  local value, message = host.decode(response.body, "body")
  if not message then return value end
  local request = asked[response] or { method = "the", url = "request" }
  local start = utf8.clean(response.body:sub(1, SHOWN_BYTES)):gsub("%c", " ")
  raise(where, "json", ("%s %s answered %d, and its body is not JSON: %s; it starts with %q"):format(
    request.method, request.url, response.status, message:gsub("^body: ", ""):gsub("%.$", ""), start), request.url)
end

--- The decoded body of a response. Raises a luaflow.HttpError of kind "json" where it is none.
---@param response luaflow.HttpResponse
---@return any
function http.json(response)
  local value = decode(response, position.of_call "json")
  return value
end

function response_mt.__index:json()
  local value = decode(self, position.of_call "json")
  return value
end

--- Seconds that the answer's Retry-After asks to wait, 24 h at most, for luaflow.retry_after; nil where it says nothing that can be read.
---@param response luaflow.HttpResponse
---@return number?
function http.retry_after(response)
  local text = response.headers["retry-after"]
  if not text then return nil end
  local seconds = text:find "^%d+$" and tonumber(text) or response.retry_after
  return seconds and math.max(0, math.min(seconds, MAX_RETRY_AFTER)) or nil
end

local BY_METHOD = 'use http.request{ method = "%s", url = ... }'
local ELSEWHERE = { new = "did you mean http.request{ url = ... }?" }
for _, method in ipairs { "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD" } do ELSEWHERE[method:lower()] = BY_METHOD:format(method) end

return strict.module("luaflow.http", http, ELSEWHERE)
