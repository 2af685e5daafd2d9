-- Raises the tagged errors of `fail`, `retry_after` and `snooze`, by which a handler ends other than by returning, and
-- makes the text that is stored for an error value of any type.
local json = require "luaflow.json"

local errors = {}

-- Longest delay, in seconds; a longer one is cut to it, like any backoff.
local MAX_DELAY = 86400

local ending_mt = {
  __name = "luaflow.ending",
  __metatable = "luaflow.ending",
  __tostring = function(ending) return tostring(ending.message) end,
}

-- "file:line: " of the function at the level above the caller's, as `error` would put it before a message.
local function position_prefix(level)
  local info = debug.getinfo(level + 1, "Sl")
  if not info or info.currentline < 1 then return "" end
  return ("%s:%d: "):format(info.short_src, info.currentline)
end

local function with_position(message, default, level)
  if message == nil then message = default end
  if type(message) == "string" then return position_prefix(level + 1) .. message end
  return message
end

-- The ending that a coroutine has raised last, which its handler may have caught.
local raised = setmetatable({}, { __mode = "k" })
local MAIN = {}

local function raise_ending(kind, message, delay)
  local caller = debug.getinfo(3, "Sl")
  local place = caller and caller.currentline > 0 and ("%s:%d: "):format(caller.short_src, caller.currentline) or ""
  raised[coroutine.running() or MAIN] = { kind = kind, place = place }
  error(setmetatable({ kind = kind, message = message, delay = delay }, ending_mt))
end

--- The ending that the running coroutine raised last, and where; forgets it.
---@return { kind: string, place: string }?
function errors.take_raised()
  local key = coroutine.running() or MAIN
  local ending = raised[key]
  if ending then raised[key] = nil end
  return ending
end

-- The delay to use; raises at the handler's line.
local function check_seconds(seconds, name)
  if type(seconds) ~= "number" or not (seconds >= 0 and seconds < math.huge) then
    local given = type(seconds) == "string" and ("%q"):format(seconds) or type(seconds) == "number" and tostring(seconds)
      or seconds == nil and "nil" or "a " .. type(seconds)
    error(("luaflow.%s: seconds must be a finite number, 0 or more, not %s"):format(name, given), 3)
  end
  return math.min(seconds, MAX_DELAY)
end

--- Ends the task as failed for good: no more attempts. Raises.
---@param message any stored as the error of the task
function errors.fail(message)
  raise_ending("fail", with_position(message, "failed", 2))
end

--- Ends the attempt as failed; the next one, while attempts remain, starts after exactly this delay. Raises.
---@param seconds number 0 or more; at most 24 h, a longer delay is cut to that
---@param message? any stored as the error of the task
function errors.retry_after(seconds, message)
  seconds = check_seconds(seconds, "retry_after")
  local default = ("retry after %g s"):format(seconds)
  local text = with_position(message, default, 2)
  raise_ending("retry_after", text, seconds)
end

--- Puts the task back for that long without costing an attempt. Raises.
---@param seconds number 0 or more; 0 gives the task to another worker; at most 24 h, a longer delay is cut to that
---@param message? any stored with the task
function errors.snooze(seconds, message)
  seconds = check_seconds(seconds, "snooze")
  local default = ("snoozed for %g s"):format(seconds)
  local text = with_position(message, default, 2)
  raise_ending("snooze", text, seconds)
end

--- The ending that an error value stands for, or nil for any other error.
---@param value any
---@return { kind: "fail"|"retry_after"|"snooze", message: any, delay: number? }?
function errors.ending(value)
  if type(value) == "table" and debug.getmetatable(value) == ending_mt then return value end
end

--- True for the error values of fail, retry_after and snooze, which must not be caught for good.
---@param value any
---@return boolean
function errors.is_control(value)
  return errors.ending(value) ~= nil
end

local function pass_endings(ok, ...)
  if not ok and errors.ending((...)) then error((...), 0) end
  return ok, ...
end

--- As pcall, except that fail, retry_after and snooze pass through it.
---@param fn function
---@param ... any its arguments
---@return boolean ok
---@return any ... what fn returned, or its error
function errors.pcall(fn, ...)
  return pass_endings(pcall(fn, ...))
end

-- Whether an error value comes from luaflow's own calls, which have a text for it.
local function is_luaflow_error(value)
  local metatable = debug.getmetatable(value)
  return type(metatable) == "table" and rawget(metatable, "luaflow_error") == true
end

-- Error tables whose message wants the place of the handler in front.
local without_place = setmetatable({}, { __mode = "k" })

--- The place of a call as messages begin with it; "" where it is unknown: a tail call leaves no frame.
---@param where luaflow.Place
---@return string
function errors.prefix(where)
  return where.file and where.line and ("%s:%d: "):format(where.file, where.line) or ""
end

--- Raises an error table of luaflow's own calls, with the place of the handler's call before its message, or later that of the
--- handler.
---@param where luaflow.Place
---@param problem { message: string }
function errors.raise(where, problem)
  local prefix = errors.prefix(where)
  problem.message = prefix .. problem.message
  without_place[problem] = prefix == "" or nil
  error(problem, 0)
end

--- Adds the place of the handler to an error of luaflow's own calls that has no place.
---@param value any
---@param handler function
function errors.give_place(value, handler)
  if type(value) ~= "table" then return end
  local info = debug.getinfo(handler, "S")
  local place = ("%s:%d"):format(info.short_src, info.linedefined)
  if is_luaflow_error(value) then value.where = value.where or place end
  if without_place[value] then
    value.message, without_place[value] = ("%s: %s"):format(place, value.message), nil
  end
end

--- What an error says beyond its text: it may quote values, so it is stored and not logged.
---@param value any
---@return string?
function errors.detail(value)
  local ending = errors.ending(value)
  if ending then return errors.detail(ending.message) end
  if type(value) == "table" and is_luaflow_error(value) then return value.detail end
end

-- What `tostring` says of a value, unless it raises or names no more than an address.
local function shown(value)
  local ok, text = pcall(json.tostring, value)
  if ok and type(text) == "string" and not text:find "0x%x+%)?$" then return text end
end

-- The text of a table that is not stored, for the reason `why`.
local function refused_text(value, why)
  local message = rawget(value, "message")
  if type(message) == "string" then return ("%s (the error table is not stored: %s)"):format(message, why) end
  return ("an error table that is not stored: %s"):format(why)
end

--- The text of an error value: strings as they are (with the `file:line` that `error` gave them), tables as JSON, what
--- cannot be encoded as its `tostring`, or else its message and why not; `error(nil)` has a text of ours.
---@param value any
---@param encode? fun(value: any, root: string): string?, string? the host's encoder
---@return string
function errors.text(value, encode)
  if value == nil then return "error without a message" end
  if type(value) == "string" then return value end
  local why
  if type(value) == "table" then
    local ending, text = errors.ending(value), nil
    if ending then return errors.text(ending.message, encode) end
    if encode and not is_luaflow_error(value) then text, why = encode(value, "error") end
    if text and text ~= "{}" and text ~= "[]" then return text end -- else its `tostring` may say more
  end
  local text = shown(value)
  if text then return text end
  return why and refused_text(value, why) or ("an error value of type %s"):format(type(value))
end

--- What people read of an error: the message of a table that has a `kind` as well, as those of luaflow.http; else its text.
---@param value any
---@param encode? fun(value: any, root: string): string?
---@return string
function errors.brief(value, encode)
  if type(value) == "table" and not is_luaflow_error(value) then
    local kind, message = rawget(value, "kind"), rawget(value, "message")
    if type(kind) == "string" and type(message) == "string" then return message end
  end
  return errors.text(value, encode)
end

return errors
