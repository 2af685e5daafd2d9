-- Replaces the database, HTTP and programs in a run in memory by functions of the test, in the forms that luaflow.context and
-- luaflow.http expect of the host.
local codec = require "luaflow.testing.codec"
local json = require "luaflow.json"
local pg = require "luaflow.pg"
local sorted_keys = require "luaflow.sorted_keys"

local fakes = {}

local CONFLICTS = { ["40001"] = true, ["40P01"] = true }

local function not_given(call, option)
  return function()
    error(("%s needs a function of the test: testing.run(flow, input, { %s })"):format(call, option), 0)
  end
end

-- A plain table that the test's function raised is an error of the call; anything else goes on as it is.
local function is_fields(raised)
  return type(raised) == "table" and getmetatable(raised) == nil and type(raised.message) == "string"
end

local function result_of(rows)
  local list = {}
  for i, row in ipairs(rows) do list[i] = row end
  return pg.rows(list, rows.n or #rows, rows.columns or sorted_keys(rows[1] or {}))
end

--- The host's `query` or `tx_query`.
---@param answer? fun(sql: string, ...): table[]? of the test: returns rows, which may have `n` and `columns`; raises the fields of
--- a luaflow.SqlError, such as `{ message = "duplicate key", sqlstate = "23505" }`
---@param in_transaction boolean
---@return fun(sql: string, ...): luaflow.Rows
function fakes.query(answer, in_transaction)
  local call = in_transaction and "ctx.tx:query" or "ctx:query"
  if not answer then return not_given(call, "query = function(sql, ...) return rows end") end
  return function(sql, ...)
    if type(sql) ~= "string" then error(("%s: the statement must be a string, not a %s"):format(call, type(sql)), 0) end
    local texts, problem = pg.parameters(codec.encode, ...)
    if not texts then error(call .. ": " .. problem, 0) end
    local good, rows = pcall(answer, sql, ...)
    if good then return result_of(rows or {}) end
    if not is_fields(rows) then error(rows, 0) end
    rows.kind = rows.kind or "database"
    rows.restarts = in_transaction and CONFLICTS[rows.sqlstate] or nil
    error(pg.error(rows))
  end
end

-- The request as the test sees it: headers by lower-case name.
local function request_for_test(request)
  local headers = {}
  for i = 1, #request.headers, 2 do headers[request.headers[i]:lower()] = request.headers[i + 1] end
  return { method = request.method, url = request.url, headers = headers, body = request.body, timeout = request.timeout }
end

local function answer_of(response, url)
  if type(response) ~= "table" then
    error(("the http function of the test must return a response, not a %s"):format(type(response)), 0)
  end
  local headers, body = {}, response.body or ""
  if response.json ~= nil then body = assert(codec.encode(response.json, "json")) end
  for _, name in ipairs(sorted_keys(response.headers or {})) do
    headers[#headers + 1], headers[#headers + 2] = name, json.tostring(response.headers[name])
  end
  return {
    status = response.status or 200, headers = headers, body = body, retry_after = response.retry_after, url = url, same_origin = true,
  }
end

--- The host's `http`.
---@param answer? fun(request: table): table of the test: gets method, url, headers (lower-case names), body and timeout, returns
--- `{ status, headers, body }` or `{ status, headers, json }`, with
--- `retry_after` for a date in that header; raises `{ kind, message }` of a luaflow.HttpError
---@return fun(request: table): table?, string?, string?, string?
function fakes.http(answer)
  if not answer then return not_given("luaflow.http", "http = function(request) return response end") end
  return function(request)
    local good, response = pcall(answer, request_for_test(request))
    if good then return answer_of(response, request.url) end
    if not is_fields(response) then error(response, 0) end
    return nil, response.kind or "failed", response.message, request.url
  end
end

local function result_of_program(answer)
  if type(answer) ~= "table" then
    error(("the exec function of the test must return a result, not a %s"):format(type(answer)), 0)
  end
  return {
    code = answer.code or not answer.signal and 0 or nil, signal = answer.signal,
    stdout = answer.stdout or "", stderr = answer.stderr or "",
  }
end

--- The host's `exec`.
---@param answer? fun(command: luaflow.Command): table of the test: gets the command, its arguments as strings; returns
--- `{ code, signal, stdout, stderr }`, by default 0, none and empty; raises `{ kind, message }` of a luaflow.ExecError
---@return fun(request: table): table?, string?, string?
function fakes.exec(answer)
  if not answer then return not_given("ctx:exec", "exec = function(command) return result end") end
  return function(request)
    local command = { input = request.input, timeout = request.timeout }
    for i, argument in ipairs(request.args) do command[i] = argument end
    local good, result = pcall(answer, command)
    if good then return result_of_program(result) end
    if not is_fields(result) then error(result, 0) end
    return nil, result.kind or "failed", result.message
  end
end

return fakes
