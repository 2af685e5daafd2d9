-- Runs one attempt of one task: calls the handler and returns how it ended, as the host records it. Runs inside the task's
-- coroutine; the output is encoded here too, so one that cannot be stored is a failed attempt.
local context = require "luaflow.context"
local errors = require "luaflow.errors"

local run = {}

---@class luaflow.Outcome
---@field outcome "completed"|"failed"|"permanent"|"snoozed"
---@field output string? JSON text, of a completed one
---@field message string? the text to store, of the others; of a completed one what the database will say against its type
---@field detail string? stored behind the message and not logged
---@field delay number? seconds, always of a snoozed one; of a failed one the exact delay, nil for backoff
---@field traceback string? of an error that was not raised on purpose, for the log: what it says, then the calls down to the handler's

local raised_mt = {}
local ABOVE_HANDLER = "^(.-)\n%s*%[C%]: in function 'xpcall'\n[^\n]*run%.lua:"

-- The xpcall of run.task and what called it are luaflow's own.
local function on_error(value)
  local traceback = debug.traceback("", 2)
  return setmetatable({ value = value, traceback = traceback:match(ABOVE_HANDLER) or traceback }, raised_mt)
end

local OUTCOME_OF_ENDING = { fail = "permanent", retry_after = "failed", snooze = "snoozed" }

local function failure(host, fn, value)
  local traceback
  if getmetatable(value) == raised_mt then value, traceback = value.value, value.traceback end
  errors.give_place(value, fn)
  local message = errors.text(value, host.encode)
  local detail = errors.detail(value)
  local ending = errors.ending(value)
  if ending then
    return { outcome = OUTCOME_OF_ENDING[ending.kind], message = message, detail = detail, delay = ending.delay }
  end
  if type(value) == "table" and rawget(value, "restarts") then traceback = nil end -- the handler starts again
  traceback = traceback and errors.brief(value, host.encode) .. traceback
  return { outcome = "failed", message = message, detail = detail, traceback = traceback }
end

local TYPE_OF_START = { ["["] = "array", ["{"] = "object", ['"'] = "string", t = "boolean", f = "boolean", n = "null" }

-- The JSON type of an encoded value, as jsonb_typeof names it.
local function json_type(text)
  return TYPE_OF_START[text:sub(1, 1)] or "number"
end

--- Runs a handler to its end.
---@param host table the host's table
---@param record { fn: function, kind: "single"|"array"|"map", feeds_map: boolean } see luaflow.loader
---@param ctx luaflow.Context
---@param input any
---@return luaflow.Outcome
function run.task(host, record, ctx, input)
  local ok, value = xpcall(record.fn, on_error, input, ctx)
  context.close(ctx)
  if not ok then return failure(host, record.fn, value) end

  local whole_array = record.kind == "array" or (record.feeds_map and record.kind ~= "map")
  local output, message = host.encode(value, "output", whole_array)
  if not output then return { outcome = "failed", message = message } end
  local violation
  if whole_array and json_type(output) ~= "array" then
    violation = ("[TYPE_VIOLATION] Produced %s instead of array"):format(json_type(output))
  end
  if violation and not record.feeds_map then return { outcome = "permanent", message = violation } end
  return { outcome = "completed", output = output, message = violation }
end

return run
