-- Waiting for something to become true, with a limit.
local system = require "system"

local wait = {}

--- Seconds on a clock that only runs forward.
---@return number
function wait.now()
  return system.monotime()
end

---@param seconds number
function wait.pause(seconds)
  system.sleep(seconds)
end

local looking, finishers = 0, {}

--- Whether this runs within a predicate of `till`, so that the same is likely to be asked again.
---@return boolean
function wait.is_looking()
  return looking > 0
end

--- Has a function called once the wait is over.
---@param finish fun()
function wait.when_over(finish)
  finishers[#finishers + 1] = finish
end

local function look(predicate, deadline, step)
  while true do
    local value = predicate()
    if value or wait.now() > deadline then return value end
    wait.pause(step)
  end
end

--- The first value of predicate that is neither nil nor false; raises once the seconds are over.
---@param predicate fun(): any
---@param seconds number
---@param what? string what is waited for, for the message
---@param step? number seconds between two looks
---@return any
function wait.till(predicate, seconds, what, step)
  looking = looking + 1
  local ok, value = pcall(look, predicate, wait.now() + seconds, step or 0.02)
  looking = looking - 1
  if looking == 0 then
    local over = finishers
    finishers = {}
    for _, finish in ipairs(over) do finish() end
  end
  if not ok then error(value, 0) end
  if not value then error(("waited %g s in vain for %s"):format(seconds, what or "a condition"), 2) end
  return value
end

return wait
