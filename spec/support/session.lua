-- A session with a database that is open for as long as a wait lasts, over the libpq that the executable is linked with: a wait
-- that starts psql for each look would use a processor up.
local ffi = require "ffi"
local wait = require "spec.support.wait"

ffi.cdef [[
typedef struct pg_conn pg_conn;
typedef struct pg_result pg_result;
pg_conn *PQconnectdb(const char *conninfo);
void PQfinish(pg_conn *conn);
int PQstatus(const pg_conn *conn);
char *PQerrorMessage(const pg_conn *conn);
int PQsetErrorVerbosity(pg_conn *conn, int verbosity);
int PQsetClientEncoding(pg_conn *conn, const char *encoding);
int PQsendQuery(pg_conn *conn, const char *query);
int PQconsumeInput(pg_conn *conn);
int PQisBusy(pg_conn *conn);
pg_result *PQgetResult(pg_conn *conn);
int PQresultStatus(const pg_result *result);
char *PQresultErrorMessage(const pg_result *result);
int PQntuples(const pg_result *result);
char *PQgetvalue(const pg_result *result, int row, int column);
char *PQescapeLiteral(pg_conn *conn, const char *text, size_t length);
void PQfreemem(void *memory);
void PQclear(pg_result *result);
]]

local C = ffi.C
local OK, TUPLES_OK, VERBOSE = 0, 2, 2

local session = {}

---@class spec.Session
local methods = {}
methods.__index = methods

--- A session that connects at its first question, and again where it was ended between two.
---@param conninfo string
---@return spec.Session
function session.new(conninfo)
  return setmetatable({ conninfo = conninfo }, methods)
end

-- What ended an idle session lies there to be read: first the server's words, then the end.
local function is_alive(conn)
  return conn and C.PQconsumeInput(conn) == 1 and C.PQconsumeInput(conn) == 1 and C.PQstatus(conn) == OK
end

local function connection(self)
  if is_alive(self.conn) then return self.conn end
  self:close()
  self.conn = ffi.gc(C.PQconnectdb(self.conninfo), C.PQfinish)
  if C.PQstatus(self.conn) ~= OK then error(ffi.string(C.PQerrorMessage(self.conn)), 0) end
  C.PQsetErrorVerbosity(self.conn, VERBOSE)
  C.PQsetClientEncoding(self.conn, "UTF8")
  wait.when_over(function() self:close() end)
  return self.conn
end

local function literal(conn, value)
  local text = tostring(value)
  local escaped = C.PQescapeLiteral(conn, text, #text)
  local quoted = ffi.string(escaped)
  C.PQfreemem(escaped)
  return quoted
end

-- The statement with its variables filled in, as psql does it.
local function filled(conn, sql, variables)
  local statement = sql:gsub("(:+)([%a_][%w_]*)", function(colons, name)
    return #colons == 1 and variables[name] ~= nil and tostring(variables[name]) or nil
  end)
  return (statement:gsub(":'([%a_][%w_]*)'", function(name)
    return variables[name] ~= nil and literal(conn, variables[name]) or nil
  end))
end

local function next_result(conn, seconds)
  wait.till(function()
    return C.PQconsumeInput(conn) == 0 or C.PQisBusy(conn) == 0
  end, seconds, "the database's answer", 0.001)
  local result = C.PQgetResult(conn)
  return result ~= nil and ffi.gc(result, C.PQclear) or nil
end

-- The value that was answered, and what was refused.
local function answer(conn, seconds)
  local text, failure = "", nil
  local result = next_result(conn, seconds)
  while result do
    if C.PQresultStatus(result) ~= TUPLES_OK then
      failure = ffi.string(C.PQresultErrorMessage(result))
    elseif C.PQntuples(result) > 0 then
      text = ffi.string(C.PQgetvalue(result, 0, 0))
    end
    result = next_result(conn, seconds)
  end
  return text, failure
end

--- The first column of the first row of a query as text, "" where there is none, as psql gives it. Raises what the server says.
---@param sql string one statement, with :'name' for a variable as a literal, and :name for it as it is
---@param variables? table<string, any>
---@param seconds number limit
---@return string
function methods:value(sql, variables, seconds)
  local conn = connection(self)
  local statement = filled(conn, sql, variables or {})
  if C.PQsendQuery(conn, statement) == 0 then error(ffi.string(C.PQerrorMessage(conn)), 0) end
  local ok, text, failure = pcall(answer, conn, seconds)
  if not ok then
    self:close()
    failure = text
  end
  if failure then error(failure, 0) end
  return text
end

function methods:close()
  if self.conn then C.PQfinish(ffi.gc(self.conn, nil)) end
  self.conn = nil
end

return session
