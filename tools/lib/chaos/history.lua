-- Which faults happened to whom and when, by the time of day, so that what follows from them can be told from what does not.
local system = require "system"

local history = {}

-- Until what a fault of that kind has begun is surely over, in seconds after its end. A silent connection is given up after 15.
local TAILS = {
  silence = 30, swallow = 30, vanish = 60, restart_immediate = 10, restart_fast = 10, culprit = 10, slow_trigger = 60, read_only = 60,
  fence = 15, uncovered = 15,
}
local TAIL = 5
-- What loses no task.
local HARMLESS = {
  hold_snapshot = true, reload = true, bad_reload = true, version = true, rollout = true, oversized = true, purge = true,
  lost_partition = true,
}
-- A worker that vanishes may hold locks that others wait for, until it is taken for dead.
local OF_ALL = {
  restart_immediate = true, restart_fast = true, terminate = true, vanish = true, version = true, rollout = true, slow_trigger = true,
  read_only = true, purge = true, lost_partition = true, culprit = true, oversized = true, fence = true,
}

-- The shortest stop, in seconds, by which tasks of the built-in flow may run out of their time.
local LONG = 15

---@class chaos.History
---@field entries table[] the faults, each { kind, connection, worker?, from, till, tail, killed? }; no worker: all of them
local methods = {}
methods.__index = methods

---@return chaos.History
function history.new()
  return setmetatable({ entries = {} }, methods)
end

--- Notes that a fault begins; what is returned is for history.over.
---@param fault chaos.Fault
---@return table
function methods:begin(fault)
  local entry = {
    kind = fault.kind, connection = fault.connection, from = system.gettime(), till = math.huge, tail = TAILS[fault.kind] or TAIL,
  }
  if not OF_ALL[fault.kind] then entry.worker = fault.worker end
  self.entries[#self.entries + 1] = entry
  return entry
end

--- Notes what happened to a worker at a time of day.
---@param kind string
---@param worker integer
---@param at number
function methods:add(kind, worker, at)
  self.entries[#self.entries + 1] = { kind = kind, worker = worker, from = at, till = at, tail = TAILS[kind] or TAIL }
end

--- The fault of that entry is over.
function history.over(entry)
  entry.till = system.gettime()
end

local function met(entry, worker, from, till)
  return (not entry.worker or entry.worker == worker) and entry.from <= till and entry.till + entry.tail >= from
end

--- Whether a fault of that worker, or of all, that loses tasks had its effects at some time between the two.
---@param worker integer
---@param from number
---@param till number
---@return boolean
function methods:explains(worker, from, till)
  for _, entry in ipairs(self.entries) do
    if not HARMLESS[entry.kind] and met(entry, worker, from, till) then return true end
  end
  return false
end

--- The faults of a kind during which, and for some seconds after, their worker had nothing else to bear.
---@param kind string
---@param after number
---@return table[] entries
function methods:alone(kind, after)
  local list = {}
  for _, entry in ipairs(self.entries) do
    local others = 0
    for _, other in ipairs(entry.kind == kind and self.entries or {}) do
      if other ~= entry and met(other, entry.worker, entry.from, entry.till + after) then others = others + 1 end
    end
    if entry.kind == kind and others == 0 then list[#list + 1] = entry end
  end
  return list
end

local RESTARTS = { restart_immediate = true, restart_fast = true }
local SETTLES = 60 -- nobody is declared dead before the server has been up for so many seconds

--- The length of the longest fault, in seconds. Restarts of the server between which it does not settle are one.
---@return number
function methods:longest()
  local longest, restarts_from, settled_at = 0, 0, 0
  local entries = { unpack(self.entries) }
  table.sort(entries, function(one, other) return one.from < other.from end)
  for _, entry in ipairs(entries) do
    longest = math.max(longest, entry.till - entry.from)
    if RESTARTS[entry.kind] then
      if entry.from > settled_at then restarts_from = entry.from end
      settled_at = entry.till + SETTLES
      longest = math.max(longest, settled_at - restarts_from)
    end
  end
  return longest
end

-- What ends executors by SIGKILL: the chaos, and a host that has been waiting for one that was stopped.
local KILLERS = { kill_executor = true, kill_sleepers = true, stop_executor = true }

--- Whether a fault may have killed an executor of that worker in the seconds up to that time of day.
---@param worker integer
---@param at number
---@param seconds number
---@return boolean
function methods:killed(worker, at, seconds)
  for _, entry in ipairs(self.entries) do
    if KILLERS[entry.kind] and met(entry, worker, at - seconds, at) then return true end
  end
  return false
end

-- Handlers' statements wait on a silent connection, and for one that is refused, until their time is over.
local HANDLERS_WAIT = { silence = true, swallow = true }
local STOPS = { stop_host = true, stop_executor = true, refuse = true }

local function is_of_handlers(entry) return entry.connection == "handler" or entry.connection == "all" end

--- How many attempts the faults may have cost: a killed executor that of the task that was running or alone in it; a host or an
--- executor that was stopped for long, and connections of handlers that are silent or long refused, those of all the worker's
--- tasks: the transactions of an executor that stopped hold the connections that the others wait for. A task that is recovered or
--- released is not counted here.
---@param concurrency integer tasks that a worker has at most
---@return integer
function methods:cost(concurrency)
  local sum = 0
  for _, entry in ipairs(self.entries) do
    local lasted = entry.till - entry.from
    if entry.kind == "kill_executor" then
      sum = sum + 1
    elseif entry.killed then
      sum = sum + entry.killed
    elseif HANDLERS_WAIT[entry.kind] and is_of_handlers(entry) or STOPS[entry.kind] and lasted > LONG then
      sum = sum + concurrency
    end
  end
  return sum
end

return history
