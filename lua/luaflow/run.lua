-- Runs one attempt of one task: calls the handler and returns how it ended, as the host records it. Runs inside the task's
-- coroutine; the output is encoded here too, so one that cannot be stored is a failed attempt.
local context = require "luaflow.context"
local errors = require "luaflow.errors"
local lua_errors = require "luaflow.lua_errors"
local null = require "luaflow.null"
local returns = require "luaflow.returns"

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
  value = null.explain(lua_errors.with_function(value, 2), 2)
  if type(value) == "string" then value = lua_errors.explained(value) end
  return setmetatable({ value = value, traceback = traceback:match(ABOVE_HANDLER) or traceback }, raised_mt)
end

-- "file:line: " of the handler's definition.
local function place_of(fn)
  local info = debug.getinfo(fn, "S")
  return ("%s:%d: "):format(info.short_src, info.linedefined)
end

-- A tail call, as in `return check(order)`, and a C function leave no place in an error.
local function with_place(text, fn)
  return text:find "^[^\n]-:%d+: " and text or place_of(fn) .. text
end

local OUTCOME_OF_ENDING = { fail = "permanent", retry_after = "failed", snooze = "snoozed" }

-- Of a value that was raised; one that was returned has no place.
local function failure(host, fn, value, is_returned)
  if is_returned and type(value) == "string" then value = with_place(value, fn) end
  local traceback
  if getmetatable(value) == raised_mt then value, traceback = value.value, value.traceback end
  if traceback and type(value) == "string" then value = with_place(value, fn) end
  errors.give_place(value, fn)
  local message = errors.text(value, host.encode)
  local detail = errors.detail(value)
  local ending = errors.ending(value)
  local is_json = type(value) == "table" and message:find "^[%[{]"
  if not (is_returned or ending or is_json or type(value) == "string") then message = with_place(message, fn) end
  if ending then
    return { outcome = OUTCOME_OF_ENDING[ending.kind], message = message, detail = detail, delay = ending.delay }
  end
  if type(value) == "table" and rawget(value, "restarts") then traceback = nil end -- the handler starts again
  traceback = traceback and errors.brief(value, host.encode) .. traceback
  return { outcome = "failed", message = message, detail = detail, traceback = traceback }
end

-- Nothing that a later attempt can change: the code itself is wrong.
local function mistake(fn, message)
  return { outcome = "permanent", message = place_of(fn) .. message }
end

-- The outcome of a handler that returned more than its output, or nil: `nil, problem` is a failed attempt, as by error(problem).
-- nils at the end do not count.
local function outcome_of_more(host, fn, value, problem, ...)
  local count = 2 + select("#", ...)
  while count > 2 and (select(count - 2, ...)) == nil do count = count - 1 end
  if count == 2 and problem == nil then return nil end
  if value == nil and problem ~= nil then return failure(host, fn, problem, true) end
  return mistake(fn, ("the handler returned %d values, but a task has one output: return a table, or put a call in "
    .. "parentheses"):format(count))
end

-- The steps whose handlers have completed with an ending that they caught.
local warned = setmetatable({}, { __mode = "k" })

-- A handler that caught an ending by mistake looks like one that has completed.
local function warn_of_caught(host, record)
  local caught = errors.take_raised()
  if not caught or warned[record] then return end
  warned[record] = true
  local place = caught.place ~= "" and caught.place or place_of(record.fn)
  host.log("warn", ("%sluaflow.%s was caught by pcall and the handler returned, so the task is completed: use luaflow.pcall, "
    .. "or raise the error again if luaflow.is_control(err)"):format(place, caught.kind))
end

-- The steps of which it was said that their handlers return nothing.
local hinted = setmetatable({}, { __mode = "k" })

local NEVER = "the handler of this %s never returns a value, so %s null: is `return` missing? Write `return nil` if that is meant"
local NOTHING = "the handler returned nothing, so its output is null, and step '%s' reads it: is `return` missing? Write `return nil` "
  .. "if that is meant"

-- What is said of a handler that returned no value at all; nil where that may be meant.
local function forgotten_return(record)
  if not returns.values(record.fn) then
    local is_map = record.kind == "map"
    return NEVER:format(is_map and "map" or "step", is_map and "all outputs of the step are" or "its output is")
  end
  return record.read_by and record.kind ~= "map" and NOTHING:format(record.read_by) or nil
end

-- While it is written: the output is null where a `return` was forgotten.
local function hint_at_return(host, record)
  if not host.development or hinted[record] then return end
  local text = forgotten_return(record)
  if text then host.log("warn", place_of(record.fn) .. text) end
  hinted[record] = text ~= nil or nil
end

local TYPE_OF_START = { ["["] = "array", ["{"] = "object", ['"'] = "string", t = "boolean", f = "boolean", n = "null" }

-- The JSON type of an encoded value, as jsonb_typeof names it.
local function json_type(text)
  return TYPE_OF_START[text:sub(1, 1)] or "number"
end

local REMEDIES = { null = "is `return` missing?", object = "return a list; use :step for an object" }

local function violation_of(record, kind)
  local remedy = record.kind == "array" and not record.feeds_map and REMEDIES[kind] or kind == "null" and REMEDIES.null or "return a list"
  return ("[TYPE_VIOLATION] Produced %s instead of array: %s%s"):format(kind, place_of(record.fn), remedy)
end

-- The outcome of a handler that returned `value`.
local function completed(host, record, ctx, value)
  if rawequal(value, ctx) and ctx ~= nil then
    return mistake(record.fn, "the output is ctx, which holds nothing to store: return what later steps need")
  end
  local whole_array = record.kind == "array" or (record.feeds_map and record.kind ~= "map")
  local output, message, of_code = host.encode(value, "output", whole_array)
  if not output then
    if of_code then return mistake(record.fn, message) end
    return { outcome = "failed", message = place_of(record.fn) .. message }
  end
  local violation
  if whole_array and json_type(output) ~= "array" then
    violation = violation_of(record, json_type(output))
  end
  if violation and not record.feeds_map then return { outcome = "permanent", message = violation } end
  return { outcome = "completed", output = output, message = violation }
end

local function ended(host, record, ctx, ok, ...)
  context.close(ctx)
  local value, count = (...), select("#", ...)
  if not ok then
    -- No traceback was made of a stack that was full.
    if type(value) == "string" then value = with_place(lua_errors.explained(value), record.fn) end
    return failure(host, record.fn, value)
  end
  local outcome = count > 1 and outcome_of_more(host, record.fn, ...) or completed(host, record, ctx, value)
  if outcome.outcome == "completed" then
    warn_of_caught(host, record)
    if count == 0 and not outcome.message then hint_at_return(host, record) end
  end
  return outcome
end

--- Runs a handler to its end.
---@param host table the host's table
---@param record luaflow.Handler
---@param ctx luaflow.Context
---@param input any
---@return luaflow.Outcome
function run.task(host, record, ctx, input)
  errors.take_raised()
  if record.input_mt and type(input) == "table" then setmetatable(input, record.input_mt) end
  return ended(host, record, ctx, xpcall(record.fn, on_error, input, ctx))
end

return run
