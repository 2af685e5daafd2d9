-- Runs a program for a handler, behind ctx:exec: checks what it is asked for and makes errors that say what failed. The host
-- starts the program and waits for it.
local errors = require "luaflow.errors"
local json = require "luaflow.json"
local nearest = require "luaflow.nearest"

local exec = {}

local MAX_TIMEOUT = 1e6 -- seconds
local OPTIONS = { "input", "timeout" }

---@class luaflow.Command
---@field [integer] string|number the program, found in PATH, and its arguments; no shell reads them
---@field input? string its standard input; default: nothing
---@field timeout? number seconds; default: what is left of the attempt

---@class luaflow.ExecResult
---@field code integer? its exit code; nil if a signal ended it
---@field signal string? such as "SIGSEGV"
---@field stdout string
---@field stderr string

---@class luaflow.ExecError
---@field kind "not_found"|"permission"|"timeout"|"too_large"|"failed"
---@field message string with file:line
---@field program string

local error_mt = {
  __name = "luaflow.ExecError",
  __metatable = "luaflow.ExecError",
  __tostring = function(problem) return problem.message end,
}

local function raise(where, kind, message, program)
  errors.raise(where, setmetatable({ kind = kind, message = message, program = program }, error_mt))
end

local function text_of(given, what, refuse)
  local text = type(given) == "number" and json.tostring(given) or given
  if type(text) ~= "string" then refuse(("%s must be a string or a number, not a %s"):format(what, type(given))) end
  if text:find("\0", 1, true) then refuse(what .. " has a byte 0") end
  return text
end

local function check_options(command, count, refuse)
  for key in pairs(command) do
    local is_place = type(key) == "number" and key >= 1 and key <= count and key == math.floor(key)
    if not is_place and key ~= "input" and key ~= "timeout" then
      refuse(("unknown option %s: %s"):format(tostring(key), nearest.hint(key, OPTIONS) or "it takes input and timeout"))
    end
  end
  local input, timeout = command.input, command.timeout
  if input ~= nil and type(input) ~= "string" then refuse(("input must be a string, not a %s"):format(type(input))) end
  if timeout ~= nil and not (type(timeout) == "number" and timeout > 0 and timeout <= MAX_TIMEOUT) then
    refuse(("timeout must be a number of seconds above 0 and at most %d"):format(MAX_TIMEOUT))
  end
end

local function request_of(command, env, where)
  local function refuse(message) error(errors.prefix(where) .. "ctx:exec: " .. message, 0) end
  if type(command) ~= "table" then refuse 'give it a table: ctx:exec { "convert", "in.png", "out.jpg" }' end
  local count = table.maxn(command)
  if command[1] == nil then refuse 'the program is missing: ctx:exec { "convert", "in.png", "out.jpg" }' end
  check_options(command, count, refuse)
  local request = { args = {}, env = {}, input = command.input, timeout = command.timeout }
  for i = 1, count do
    local what = i == 1 and "the program" or "argument " .. i - 1
    if command[i] == nil then refuse(what .. " is nil: leave it out, or give an empty string") end
    request.args[i] = text_of(command[i], what, refuse)
  end
  if request.args[1] == "" then refuse "the program is an empty string" end
  for name, value in pairs(env) do request.env[#request.env + 1] = name .. "=" .. value end
  return request
end

-- LuaJIT 2.1.0-beta3 can compile a loop over pairs into one that ends before its first element.
jit.off(check_options)
jit.off(request_of)

local function message_of(kind, reason, request)
  local program = request.args[1]
  if kind == "timeout" then return ("%s did not end within %s s: %s"):format(program, json.tostring(request.timeout), reason) end
  if kind ~= "not_found" then return ("%s: %s"):format(program, reason) end
  local hint = "install it, or give its whole path; it is looked for in PATH"
  if program:find "%s" then
    hint = 'each argument is a string of its own, { "ls", "-l" }; a line for the shell is { "sh", "-c", LINE }'
  elseif program:find("/", 1, true) then
    hint = "there is no such file, or what its first line names is missing"
  end
  return ("%s was not found: %s"):format(program, hint)
end

--- Runs a program and waits for it.
---@param host table the host's table
---@param command luaflow.Command
---@param where luaflow.Place of the handler's call
---@return luaflow.ExecResult
function exec.run(host, command, where)
  local request = request_of(command, host.env, where)
  local result, kind, reason = host.exec(request)
  if not result then raise(where, kind, "ctx:exec: " .. message_of(kind, reason, request), request.args[1]) end
  return result
end

return exec
