-- Which faults happened to whom and when, by the time of day, so that what follows from them can be told from what does not.
local system = require "system"

local history = {}

-- Until what a fault of that kind has begun is surely over, in seconds after its end. A silent connection is given up after 15.
local TAILS = { silence = 30, swallow = 30, vanish = 60, restart_immediate = 10, restart_fast = 10 }
local TAIL = 5
local HARMLESS = { hold_snapshot = true }
-- A worker that vanishes may hold locks that others wait for, until it is taken for dead.
local OF_ALL = { restart_immediate = true, restart_fast = true, terminate = true, vanish = true }

-- The shortest stop, in seconds, by which tasks of the built-in flow may run out of their time.
local LONG = 15

---@class chaos.History
---@field entries table[] the faults, each { kind, worker?, from, till, tail }; no worker: all of them
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
  local entry = { kind = fault.kind, from = system.gettime(), till = math.huge, tail = TAILS[fault.kind] or TAIL }
  if not OF_ALL[fault.kind] then entry.worker = fault.worker end
  if not HARMLESS[fault.kind] then self.entries[#self.entries + 1] = entry end
  return entry
end

--- The fault of that entry is over.
function history.over(entry)
  entry.till = system.gettime()
end

--- Whether a fault of that worker, or of all, had its effects at some time between the two.
---@param worker integer
---@param from number
---@param till number
---@return boolean
function methods:explains(worker, from, till)
  for _, entry in ipairs(self.entries) do
    if (not entry.worker or entry.worker == worker) and entry.from <= till and entry.till + entry.tail >= from then return true end
  end
  return false
end

--- How many attempts the faults may have cost: a killed executor that of the task that was running, a host stopped for long those
--- of all its tasks. A task that is recovered or released is not counted here.
---@param concurrency integer tasks that a worker has at most
---@return integer
function methods:cost(concurrency)
  local sum = 0
  for _, entry in ipairs(self.entries) do
    local is_long = entry.till - entry.from > LONG
    if entry.kind == "kill_executor" or entry.kind == "stop_executor" and is_long then sum = sum + 1 end
    if entry.kind == "stop_host" and is_long then sum = sum + concurrency end
  end
  return sum
end

return history
