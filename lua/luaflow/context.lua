-- Builds the `ctx` of a handler: read-only fields of its task, and the calls that the host offers.
local exec = require "luaflow.exec"
local nearest = require "luaflow.nearest"
local position = require "luaflow.position"

local context = {}

local FIELDS = {
  "run_id", "flow_slug", "step_slug", "task_index", "attempt", "max_attempts", "queue", "worker_id", "deadline",
}
local LEVELS = { debug = true, info = true, warn = true, error = true }

-- The private key of a context: its host and the values of its fields.
local INNER = {}

local function place_of_step(inner)
  return inner.values.step_slug and ('step "%s"'):format(inner.values.step_slug) or "a step"
end

-- A context serves its own task alone, and only until its handler has returned.
local function check_in_use(inner, call)
  if inner.ended then error(("%s was called after its handler had returned"):format(call), 3) end
  if inner.host.task and inner.host.task() ~= inner.number then
    error(("%s was called with the ctx of another task"):format(call), 3)
  end
end

--- The transaction that also completes the task.
---@class luaflow.Transaction
local tx_methods = {}

--- Runs one statement inside the transaction. It is committed together with the task's completion, or not at all.
--- After an error nothing else can be done in it.
---@param sql string with $1, $2 ... for the parameters
---@param ... any nil, boolean, number, string, int64_t, table (as JSON), luaflow.pg_array or luaflow.pg_bytea
---@return luaflow.Rows
function tx_methods:query(sql, ...)
  local inner = type(self) == "table" and rawget(self, INNER)
  if not inner then error("call it with a colon: ctx.tx:query(sql, ...)", 2) end
  if not inner.transaction then
    error(("ctx.tx: this step has no transaction; set transaction = true on %s"):format(place_of_step(inner)), 2)
  end
  check_in_use(inner, "ctx.tx:query")
  local rows = inner.host.tx_query(sql, ...)
  return rows
end

local function refuse_write(name)
  return function(_, key)
    error(("%s is read-only: %s cannot be set"):format(name, tostring(key)), 2)
  end
end

local tx_mt = {
  __metatable = "luaflow.Transaction",
  __newindex = refuse_write "ctx.tx",
  __index = function(_, key)
    if tx_methods[key] then return tx_methods[key] end
    error(("ctx.tx has no %s: it has query"):format(tostring(key)), 2)
  end,
}

---@class luaflow.Context
---@field run_id string
---@field flow_slug string
---@field step_slug string
---@field task_index integer counts from 0
---@field attempt integer counts from 1
---@field max_attempts integer
---@field queue string
---@field worker_id string
---@field deadline number epoch seconds
---@field env table<string, string> the environment without the host's own settings; this task's own copy
local methods = {}

---@class luaflow.TransactionContext: luaflow.Context of a step with transaction = true
---@field tx luaflow.Transaction

local function host_of(ctx, call)
  local inner = type(ctx) == "table" and rawget(ctx, INNER)
  if not inner then error(("call it with a colon: ctx:%s"):format(call), 3) end
  return inner.host
end

--- The run's input.
---@return any
function methods:flow_input()
  local input = host_of(self, "flow_input()").flow_input()
  return input
end

--- Writes a log line that carries run, step and attempt.
---@param level "debug"|"info"|"warn"|"error"
---@param message string
---@param fields? table<string, any>
function methods:log(level, message, fields)
  local host = host_of(self, "log(level, message, fields)")
  if not LEVELS[level] then
    local form = message == nil and type(level) == "string" and ("; write ctx:log(\"info\", %q)"):format(level:sub(1, 60)) or ""
    error(("ctx:log: level must be debug, info, warn or error, not %s%s"):format(tostring(level), form), 2)
  end
  if fields ~= nil and type(fields) ~= "table" then error("ctx:log: fields must be a table", 2) end
  host.log(level, tostring(message), fields)
end

--- Lets other tasks run for that long.
---@param seconds number 0 or more
function methods:sleep(seconds)
  local host = host_of(self, "sleep(seconds)")
  if type(seconds) ~= "number" or not (seconds >= 0 and seconds < math.huge) then
    error("ctx:sleep: seconds must be a number of 0 or more", 2)
  end
  host.sleep(seconds)
end

--- Runs one statement, outside any transaction and in a session of its own.
---@param sql string with $1, $2 ... for the parameters
---@param ... any nil, boolean, number, string, int64_t, table (as JSON), luaflow.pg_array or luaflow.pg_bytea
---@return luaflow.Rows
function methods:query(sql, ...)
  local host = host_of(self, "query(sql, ...)")
  check_in_use(rawget(self, INNER), "ctx:query")
  local rows = host.query(sql, ...)
  return rows
end

--- Runs a program; other tasks go on meanwhile. It is ended, with whatever it started, when the attempt ends. An exit code is
--- not an error; what kept the program from running to its end is raised as a luaflow.ExecError.
---@param command luaflow.Command the program, its arguments, `input` and `timeout`
---@return luaflow.ExecResult
function methods:exec(command)
  local host = host_of(self, "exec { program, ... }")
  check_in_use(rawget(self, INNER), "ctx:exec")
  local result = exec.run(host, command, position.of_call "exec")
  return result
end

--- True while the worker drains: a long handler may want to end early.
---@return boolean
function methods:stopping()
  local stopping = host_of(self, "stopping()").stopping()
  return stopping
end

--- True once the run was cancelled: nothing that the handler returns or raises counts any more, and it is ended soon.
---@return boolean
function methods:cancelled()
  local cancelled = host_of(self, "cancelled()").cancelled()
  return cancelled
end

local NAMES, IS_FIELD = {}, {}
for _, name in ipairs(FIELDS) do
  NAMES[#NAMES + 1], IS_FIELD[name] = name, true
end
for name in pairs(methods) do NAMES[#NAMES + 1] = name end
NAMES[#NAMES + 1] = "env"
NAMES[#NAMES + 1] = "tx"
table.sort(NAMES)

-- What a handler may look for in its context.
local ELSEWHERE = { http = 'require "luaflow.http"', run = "did you mean ctx:exec { program, ... }?" }

local env_mt = { __metatable = "luaflow.Environment", __newindex = refuse_write "ctx.env" }

-- A copy, since `pairs` finds nothing in a table that only leads to another; made when it is asked for, since few handlers do.
local function env_of(inner)
  if not inner.env then
    local env = {}
    for name, value in pairs(inner.host.env) do env[name] = value end
    inner.env = setmetatable(env, env_mt)
  end
  return inner.env
end

-- LuaJIT 2.1.0-beta3 can compile this loop into one that ends before its first element.
jit.off(env_of)

local ctx_mt = {
  __metatable = "luaflow.Context",
  __newindex = refuse_write "ctx",
  __index = function(ctx, key)
    if methods[key] then return methods[key] end
    if IS_FIELD[key] then return rawget(ctx, INNER).values[key] end
    if key == "env" then return env_of(rawget(ctx, INNER)) end
    if key == "tx" then return rawget(ctx, INNER).tx end
    local hint = ELSEWHERE[key] or nearest.hint(key, NAMES) or "it has " .. table.concat(NAMES, ", ")
    error(("ctx has no %s: %s"):format(tostring(key), hint), 2)
  end,
}

--- A read-only context of one task.
---@param host table the host's table
---@param task table the task's fields, by the names of the context's; and transaction, which its step has, and number
---@return luaflow.Context
function context.new(host, task)
  local values = {}
  for _, name in ipairs(FIELDS) do
    if task[name] ~= nil then values[name] = task[name] end
  end
  local inner = { host = host, values = values, transaction = task.transaction, number = task.number }
  inner.tx = setmetatable({ [INNER] = inner }, tx_mt)
  return setmetatable({ [INNER] = inner }, ctx_mt)
end

--- The handler has returned: its context cannot be used for statements any more.
---@param ctx any whatever is no context is ignored
function context.close(ctx)
  local inner = type(ctx) == "table" and rawget(ctx, INNER)
  if inner then inner.ended = true end
end

return context
