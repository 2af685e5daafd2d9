-- Runs one attempt of one task: the handler in its own coroutine, with a host table for tests. It runs until it ends
-- or sleeps; its caller moves the clock and resumes it.
local codec = require "luaflow.testing.codec"
local context = require "luaflow.context"
local fakes = require "luaflow.testing.fakes"
local host_in_force = require "luaflow.host"
local run = require "luaflow.run"
local value = require "luaflow.value"

local attempt = {}

---@class luaflow.testing.World what an attempt sees of the run that it belongs to
---@field now fun(): number seconds since the start of the run
---@field epoch fun(): number
---@field cancelled fun(): boolean
---@field stopping fun(): boolean
---@field flow_input fun(): any
---@field log fun(level: string, message: string, fields: table?)
---@field running fun(): integer the number of the attempt that runs now
---@field env table<string, string>
---@field query fun(sql: string, ...): table? nil where the test gives none
---@field http fun(request: table): table? nil where the test gives none
---@field exec fun(command: table): table? nil where the test gives none

---@class luaflow.testing.Attempt
---@field wake_at number? seconds since the start of the run, while it sleeps
---@field outcome luaflow.Outcome? once it has ended
local methods = {}
methods.__index = methods

-- The host's table as the attempt sees it, by the names of luaflow.host.
local function make_host(self, world)
  local host = { development = false, env = world.env, encode = codec.encode, decode = codec.decode }
  host.now, host.cancelled, host.stopping, host.flow_input = world.epoch, world.cancelled, world.stopping, world.flow_input

  function host.sleep(seconds)
    if coroutine.running() ~= self.co then
      error("sleep was called inside a coroutine that the handler created; call it in the handler itself", 0)
    end
    self.wake_at = world.now() + seconds
    coroutine.yield()
  end

  function host.log(level, message, fields)
    local copy, refused = nil, nil
    if fields then copy, refused = value.copy(fields, "fields") end
    world.log(level, message, refused and { fields_refused = refused } or copy)
  end

  host.query, host.tx_query = fakes.query(world.query, false), fakes.query(world.query, true)
  host.http, host.exec, host.task = fakes.http(world.http), fakes.exec(world.exec), world.running
  return host
end

-- Calls fn with that host in the place of the one in force, which modules such as luaflow.http use, and with os.time at the
-- virtual clock. Returns what fn returns; it must not raise.
local function with_host(host, fn, ...)
  local saved, real_time = {}, os.time
  for name, field in pairs(host) do saved[name], host_in_force[name] = { rawget(host_in_force, name) }, field end
  os.time = function(fields) -- luacheck: ignore 122 (restored below)
    return fields and real_time(fields) or math.floor(host.now())
  end
  local function restore(...)
    os.time = real_time -- luacheck: ignore 122
    for name, field in pairs(saved) do host_in_force[name] = field[1] end
    return ...
  end
  return restore(fn(...))
end

--- A new attempt, which `resume` begins.
---@param record luaflow.Handler
---@param world luaflow.testing.World
---@param fields table what luaflow.context takes
---@param input any
---@return luaflow.testing.Attempt
function attempt.new(record, world, fields, input)
  local self = setmetatable({}, methods)
  self.host = make_host(self, world)
  local ctx = context.new(self.host, fields)
  self.co = coroutine.create(function() return run.task(self.host, record, ctx, input) end)
  return self
end

--- Runs the handler until it ends, when `outcome` is set, or sleeps, when `wake_at` is.
function methods:resume()
  self.wake_at = nil
  local ok, result = with_host(self.host, coroutine.resume, self.co)
  if not ok then error(result, 0) end
  if coroutine.status(self.co) == "dead" then
    self.outcome = result
  elseif not self.wake_at then
    self.outcome = {
      outcome = "failed", message = "coroutine.yield was called outside a coroutine that the handler created",
    }
  end
end

return attempt
