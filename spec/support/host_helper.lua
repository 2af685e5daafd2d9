-- Loaded by busted before the host specs: what it requires stays loaded across their files.
local busted = require "busted"
local report = require "spec.support.report"
local wait = require "spec.support.wait"

local LONG_SECONDS = 15 -- a test that takes longer is named, since it makes everybody wait

local function print_logs()
  report.print()
  return nil, true
end

busted.subscribe({ "failure" }, print_logs)
busted.subscribe({ "error" }, print_logs)

local from
busted.subscribe({ "test", "start" }, function()
  from = wait.now()
  return nil, true
end)
busted.subscribe({ "test", "end" }, function(test)
  local took = wait.now() - from
  if took > LONG_SECONDS then print(("# %.0f s: %s"):format(took, test.name)) end
  return nil, true
end)
