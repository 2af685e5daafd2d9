-- Converts between handlers and SQL: Lua values to parameters, what the host returns to a result, errors to tables.
-- The server infers the types of parameters; they go as text, apart from the statement.
local ffi = require "ffi"
local json = require "luaflow.json"

local pg = {}

local EXACT = 2 ^ 63
local MAX_DIMENSIONS = 6 -- of an array

local int64_t, uint64_t = ffi.typeof "int64_t", ffi.typeof "uint64_t"

local array_mt = { __name = "luaflow.pg_array" }
local bytea_mt = { __name = "luaflow.pg_bytea" }

-- For a list that went as JSON where an array was meant.
local IN_HINT = "in place of in ($1) write = any($1), and send the list as luaflow.pg_array(list)"
local ARRAY_HINT = "send a list as an array with luaflow.pg_array(list)"

---@class luaflow.SqlError
---@field message string
---@field sqlstate string? five characters; "08006" where the connection was lost
---@field detail string? may quote values
---@field hint string?
---@field constraint string?
---@field table string?
---@field column string?
---@field schema string?
---@field kind "database"|"connection"|"result" who is at fault: the statement, the connection, or what came back
---@field where string? file:line of the call
---@field restarts boolean? the handler is started again: a conflict inside its transaction
local error_mt = {
  __name = "luaflow.sql_error",
  __metatable = "luaflow.sql_error",
  luaflow_error = true,
  __tostring = function(self)
    local place = self.where and self.where .. ": " or ""
    local text = place .. self.message .. (self.sqlstate and (" (SQLSTATE %s)"):format(self.sqlstate) or "")
    return self.hint and ("%s: %s"):format(text, self.hint) or text
  end,
}

local OWN_FOLDER = debug.getinfo(1, "S").source:match "^(.-)[^/]*$"

-- "file:line" of the nearest function that is not luaflow's own.
local function place()
  local level = 2
  while true do
    local info = debug.getinfo(level, "Sl")
    if not info then return nil end
    if info.currentline > 0 and info.source:sub(1, #OWN_FOLDER) ~= OWN_FOLDER then
      return ("%s:%d"):format(info.short_src, info.currentline)
    end
    level = level + 1
  end
end

local function refuse(message)
  local where = place()
  error((where and where .. ": " or "") .. message, 0)
end

--- A list as an array of Postgres: `where id = any($1)`. Tables inside that are arrays become further dimensions, other
--- tables JSON; `luaflow.null` is null.
---@param list any[]
---@return table
function pg.array(list)
  if type(list) ~= "table" then refuse(("luaflow.pg_array: a list is needed, not a %s"):format(type(list))) end
  return setmetatable({ list = list }, array_mt)
end

--- Bytes as a value of type bytea, which may hold any byte.
---@param bytes string
---@return table
function pg.bytea(bytes)
  if type(bytes) ~= "string" then refuse(("luaflow.pg_bytea: a string is needed, not a %s"):format(type(bytes))) end
  return setmetatable({ bytes = bytes }, bytea_mt)
end

local function number_text(number)
  if number ~= number then return "NaN" end
  if number == math.huge then return "Infinity" end
  if number == -math.huge then return "-Infinity" end
  if number == math.floor(number) and math.abs(number) < EXACT then return ("%.0f"):format(number) end
  return json.tostring(number)
end

local function quoted(text)
  return '"' .. text:gsub('[\\"]', "\\%0") .. '"'
end

local value_text

-- The elements of a list, or nil and what is wrong with it.
local function array_text(list, encode, name, dimension)
  if dimension > MAX_DIMENSIONS then return nil, ("%s: an array of more than %d dimensions"):format(name, MAX_DIMENSIONS) end
  local count, parts = #list, {}
  for key in next, list do
    if type(key) ~= "number" or key < 1 or key > count or key ~= math.floor(key) then
      return nil, name .. ": pg_array needs a list without holes: write luaflow.null for null"
    end
  end
  for i = 1, count do
    local element, inner = list[i], ("%s[%d]"):format(name, i)
    local is_list = type(element) == "table" and
      (getmetatable(element) == array_mt and element.list or json.is_array(element) and element)
    local text, problem
    if is_list then
      text, problem = array_text(is_list, encode, inner, dimension + 1)
    else
      text, problem = value_text(element, encode, inner)
    end
    if problem then return nil, problem end
    if not is_list then text = text and (type(element) == "number" and text or quoted(text)) or "NULL" end
    parts[i] = text
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- The text of one parameter, false for null; or nil and what is wrong with it.
function value_text(value, encode, name)
  local kind, mark = type(value), getmetatable(value)
  if json.is_null(value) then return false end
  if kind == "number" then return number_text(value) end
  if kind == "boolean" then return tostring(value) end
  if kind == "string" then
    if value:find("\0", 1, true) then return nil, name .. ": a string with a NUL byte: send bytes with luaflow.pg_bytea" end
    return value
  end
  if kind == "cdata" and (ffi.istype(int64_t, value) or ffi.istype(uint64_t, value)) then return json.tostring(value) end
  if kind ~= "table" then return nil, ("%s: a %s cannot be sent to the database"):format(name, kind) end
  if mark == array_mt then return array_text(value.list, encode, name, 1) end
  if mark == bytea_mt then return "\\x" .. value.bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end) end
  return encode(value, name)
end

--- The texts of parameters, false for null, and how many they are; or nil and what is wrong with one.
---@param encode fun(value: any, root: string): string?, string? the host's encoder
---@return (string|false)[]?
---@return integer|string
function pg.parameters(encode, ...)
  local count, given, texts = select("#", ...), { ... }, {}
  for i = 1, count do
    local text, problem = value_text(given[i], encode, "parameter " .. i)
    if problem then return nil, problem end
    texts[i] = text
  end
  return texts, count
end

---@class luaflow.Rows
---@field n integer rows that came back, or that the statement changed
---@field columns string[] their names in order
---@field [integer] table<string, any> a row by column name; SQL null is nil

--- A list of rows with `n` and `columns`. It is written as a JSON array of its rows.
---@param rows table[]
---@param n integer
---@param columns string[]
---@return luaflow.Rows
function pg.rows(rows, n, columns)
  return setmetatable(rows, setmetatable({ __index = { n = n, columns = columns } }, json.array_mt))
end

--- An error as handlers catch it, with the place of their call.
---@param fields table
---@return luaflow.SqlError
function pg.error(fields)
  fields.where = place()
  return setmetatable(fields, error_mt)
end

local function has_list(...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if type(value) == "table" and getmetatable(value) ~= array_mt and getmetatable(value) ~= bytea_mt then return true end
  end
  return false
end

-- The server says this of a statement that it names "".
local function explain_count(result)
  local given, used = result.message:match "^bind message supplies (%d+) parameters?, but prepared statement \"[^\"]*\" requires (%d+)"
  if not given then return end
  local uses = used == "0" and "no parameters" or used == "1" and "$1" or "$1 to $" .. used
  result.message = ("the statement uses %s, but %s"):format(uses, given == "1" and "1 value was given" or given .. " values were given")
  result.kind = "database"
end

local CONFLICTS = { ["40001"] = true, ["40P01"] = true }

-- One statement from its arguments to its result. ask(in_transaction, sql, count, texts) waits for the host and returns
-- true, rows, n, columns; or false and an error's fields.
local function run(host, ask, in_transaction, sql, ...)
  local call = in_transaction and "ctx.tx:query" or "ctx:query"
  if type(sql) ~= "string" then refuse(("%s: the statement must be a string, not a %s"):format(call, type(sql))) end
  if sql:find("\0", 1, true) then refuse(call .. ": the statement holds a NUL byte") end
  local texts, count = pg.parameters(host.encode, ...)
  if not texts then refuse(call .. ": " .. count) end
  local good, result, n, columns = ask(in_transaction, sql, count, texts)
  if good then return pg.rows(result, n, columns) end
  if result.sqlstate == "08P01" then explain_count(result) end
  if result.sqlstate == "22P02" and has_list(...) then
    if result.message:find "^malformed array literal" then
      result.hint = ARRAY_HINT
    elseif result.message:find ': "%[' then
      result.hint = IN_HINT
    end
  end
  result.restarts = in_transaction and CONFLICTS[result.sqlstate] or nil
  error(pg.error(result))
end

--- Gives the host's table `query` and `tx_query`.
---@param host table
---@param ask function
function pg.bind(host, ask)
  host.query = function(sql, ...) return run(host, ask, false, sql, ...) end
  host.tx_query = function(sql, ...) return run(host, ask, true, sql, ...) end
end

return pg
