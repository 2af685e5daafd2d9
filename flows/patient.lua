-- Waiting, in the three ways there are. Input: { "ready_at": epoch seconds }; without one it is ready at once.
local luaflow = require "luaflow"

local function ready_at(input)
  return not luaflow.is_null(input) and tonumber(input.ready_at) or 0
end

return luaflow.flow { slug = "patient", max_attempts = 3, base_delay = 1 }
  -- Not yet: the task is put back, which costs no attempt and keeps no worker busy.
  :step({ slug = "wait_until_ready" }, function(input)
    local seconds = ready_at(input) - os.time()
    if seconds > 0 then luaflow.snooze(seconds, "not ready yet") end
    return os.time()
  end)
  -- A service that is busy says when to come again: the attempt counts, and the next one comes exactly then.
  :step({ slug = "ask_busy_service", depends_on = { "wait_until_ready" } }, function(_, ctx)
    if ctx.attempt == 1 then luaflow.retry_after(1, "the service is busy") end
    return { answered_at_attempt = ctx.attempt }
  end)
  -- A short pause: other tasks run meanwhile.
  :step({ slug = "settle", depends_on = { "ask_busy_service" } }, function(deps, ctx)
    ctx:sleep(0.2)
    return deps.ask_busy_service
  end)
