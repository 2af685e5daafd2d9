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

--- The first value of predicate that is neither nil nor false; raises once the seconds are over.
---@param predicate fun(): any
---@param seconds number
---@param what? string what is waited for, for the message
---@param step? number seconds between two looks
---@return any
function wait.till(predicate, seconds, what, step)
  local deadline = wait.now() + seconds
  while true do
    local value = predicate()
    if value then return value end
    if wait.now() > deadline then
      error(("waited %g s in vain for %s"):format(seconds, what or "a condition"), 2)
    end
    wait.pause(step or 0.02)
  end
end

return wait
