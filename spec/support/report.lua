-- Helper of the host specs: after every failure it prints the logs of the processes that still exist and of the server.
local database = require "spec.support.database"
local files = require "spec.support.files"
local process = require "spec.support.process"

local report = {}

local function put(title, text)
  if text == "" then return end
  io.stderr:write("# ", title, "\n")
  for line in text:gmatch "[^\r\n]+" do io.stderr:write("#   ", line:sub(1, 1000), "\n") end
end

--- Prints the ends of all logs to standard error, as TAP comments.
function report.print()
  for _, each in ipairs(process.started()) do
    put(("standard error of %s (process %d)"):format(each.name, each.pid),
      each.terminal and each:errors():sub(-4000) or files.tail(each.err, 40))
  end
  local ok, log = pcall(database.server_complaints)
  if ok then put("the server's last complaints", log) end
end

return report
