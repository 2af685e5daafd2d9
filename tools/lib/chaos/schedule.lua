-- The faults of a seed: which, when, to whom and for how long. The same seed gives the same list.
local schedule = {}

-- How often each kind comes, out of the sum of all.
local WEIGHTS = {
  { "kill_host", 4 }, { "stop_host", 3 }, { "kill_executor", 5 }, { "stop_executor", 3 },
  { "restart_immediate", 2 }, { "restart_fast", 2 }, { "terminate", 4 },
  { "cut", 4 }, { "silence", 3 }, { "swallow", 3 }, { "refuse", 2 }, { "hold_snapshot", 2 }, { "vanish", 2 },
  { "reload", 4 }, { "bad_reload", 4 }, { "version", 3 }, { "rollout", 2 },
  { "kill_sleepers", 3 }, { "culprit", 4 }, { "oversized", 2 },
  { "slow_trigger", 2 }, { "read_only", 2 }, { "purge", 2 }, { "lost_partition", 2 },
}
local CONNECTIONS = { "control", "work", "handler", "all" }
local ROLLOUT = 8 -- seconds, at most: nothing runs meanwhile
local FIRST, SHORTEST, LONGEST = 8, 2, 8 -- seconds: the first fault, and from one to the next

--- The names of the kinds.
---@type table<string, true>
schedule.KINDS = {}
for _, entry in ipairs(WEIGHTS) do schedule.KINDS[entry[1]] = true end

local function pick(random, weights)
  local sum = 0
  for _, entry in ipairs(weights) do sum = sum + entry[2] end
  local at = random(sum)
  for _, entry in ipairs(weights) do
    at = at - entry[2]
    if at <= 0 then return entry[1] end
  end
end

---@class chaos.Fault
---@field at number seconds after the start
---@field kind string
---@field worker integer
---@field connection "control"|"work"|"handler"|"all"
---@field lasts number seconds, for those that end
---@field choice integer picks among what is there when it happens

--- The faults of the first so many seconds.
---@param seed number
---@param seconds number
---@param workers integer
---@param only? table<string, true> the kinds that there are; nil: all
---@param without? table<string, true> kinds to leave out; the others stay where they are
---@return chaos.Fault[]
function schedule.make(seed, seconds, workers, only, without)
  math.randomseed(seed)
  local weights = {}
  for _, entry in ipairs(WEIGHTS) do
    if not only or only[entry[1]] then weights[#weights + 1] = entry end
  end
  local random, list, at = math.random, {}, FIRST
  while at < seconds do
    local is_long = random(6) == 1 -- longer than a worker may be silent
    local fault = {
      at = at, kind = pick(random, weights), worker = random(workers), connection = CONNECTIONS[random(#CONNECTIONS)],
      lasts = is_long and 32 + random(12) or random(5), choice = random(1000),
    }
    if fault.kind == "rollout" then fault.lasts = math.min(fault.lasts, ROLLOUT) end
    if not (without and without[fault.kind]) then list[#list + 1] = fault end
    at = at + SHORTEST + random() * (LONGEST - SHORTEST)
  end
  return list
end

return schedule
