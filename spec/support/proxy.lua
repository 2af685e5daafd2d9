-- A proxy between a worker and its database, which cuts, silences or swallows what goes through it; see proxy_process.lua.
local files = require "spec.support.files"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local proxy = {}

---@class spec.Proxy
---@field conninfo string of the database, through the proxy
local methods = {}
methods.__index = methods

--- Starts a proxy before a database.
---@param db spec.Database
---@return spec.Proxy
function proxy.open(db)
  local self = setmetatable({ folder = files.temporary_folder(), count = 0 }, methods)
  local folder, port = db:text("select split_part(current_setting('unix_socket_directories'), ',', 1) || ' ' || current_setting('port')")
    :match "^(.*) (%d+)$"
  self.process = process.spawn {
    name = "proxy",
    argv = { process.luaflow(), "lua", "spec/support/proxy_process.lua", self.folder, ("%s/.s.PGSQL.%s"):format(folder, port) },
  }
  wait.till(function() return files.exists(self.folder .. "/.s.PGSQL.5432") end, 20, "the proxy to listen")
  self.conninfo = ("%s host=%s port=5432"):format(db.conninfo, self.folder) -- of two values the last one counts
  return self
end

--- Gives a command to the connections of a kind and waits until it is obeyed.
---@param kind "control"|"work"|"handler"|"all"
---@param what "silent"|"halve"|"swallow"|"cut"|"heal"|"refuse"|"accept"|"cut_commits"|"keep_commits"
function methods:tell(kind, what)
  self.count = self.count + 1
  local file = assert(io.open(self.folder .. "/commands", "a"))
  file:write(kind, " ", what, "\n")
  file:close()
  wait.till(function() return files.read(self.folder .. "/done") == tostring(self.count) end, 20, "the proxy to obey")
end

function methods:close()
  self.process:forget()
  files.remove(self.folder)
end

return proxy
