-- Loaded by busted before the host specs: what it requires stays loaded across their files.
local busted = require "busted"
local report = require "spec.support.report"

local function print_logs()
  report.print()
  return nil, true
end

busted.subscribe({ "failure" }, print_logs)
busted.subscribe({ "error" }, print_logs)
