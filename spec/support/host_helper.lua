-- Loaded by busted before the host specs: what it requires stays loaded across their files.
local busted = require "busted"
local report = require "spec.support.report"

busted.subscribe({ "failure" }, function()
  report.print()
  return nil, true
end)
busted.subscribe({ "error" }, function()
  report.print()
  return nil, true
end)
