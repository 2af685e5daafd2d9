-- A private Postgres of one spec or a few, which they may stop and start as they like; its databases have the schema.
local database = require "spec.support.database"
local files = require "spec.support.files"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local server = {}

---@class spec.Server
local methods = {}
methods.__index = methods

local function first_line(path)
  return files.read(path):match "^([^\n]+)\n"
end

--- Makes a server and starts it.
---@param env? table<string, string> variables of the server
---@return spec.Server
function server.open(env)
  local self = setmetatable({ folder = files.temporary_folder(), databases = 0, env = env }, methods)
  self:start()
  return self
end

--- Starts it, after a stop with the data of before, and waits until it answers.
function methods:start()
  self.process = process.spawn {
    name = "server", stays = true, env = self.env,
    argv = { process.luaflow(), "dev", "--database-only", "--data", self.folder .. "/data" },
  }
  self.conninfo = wait.till(function()
    if self.process:poll() then error("the server did not start:\n" .. self.process:errors(), 0) end
    return first_line(self.process.out)
  end, 60, "the server to start")
end

--- A fresh database on it, with the schema.
---@return spec.Database
function methods:database()
  self.databases = self.databases + 1
  local db = database.on(self.conninfo, "spec_" .. self.databases)
  local result = process.run { argv = { process.luaflow(), "migrate", "--database", db.conninfo } }
  assert(result.code == 0, result.err)
  return db
end

--- Stops it and starts it again, with a copy of all that it has: a server with the same databases and ids in them.
---@return spec.Server
function methods:fork()
  local twin = setmetatable({ folder = files.temporary_folder(), databases = self.databases }, methods)
  self:stop "fast"
  local copied = process.run { argv = { "cp", "-a", self.folder .. "/data", twin.folder .. "/data" } }
  assert(copied.code == 0, copied.err)
  self:start()
  twin:start()
  return twin
end

--- A database of the server that this was forked off, on this one.
---@param db spec.Database
---@return spec.Database
function methods:same(db)
  return database.copied(self.conninfo, db.name)
end

--- Stops it: "immediate" is a crash, "fast" ends its connections in good order.
---@param mode "immediate"|"fast"
function methods:stop(mode)
  local postmaster = assert(first_line(self.folder .. "/data/pgdata/postmaster.pid"), "no postmaster")
  process.send(tonumber(postmaster), mode == "immediate" and process.SIGQUIT or process.SIGINT)
  self.process:wait(30)
  self.process:forget()
end

function methods:close()
  if self.process and not self.process:poll() then
    self.process:signal(process.SIGTERM)
    self.process:wait(30)
  end
  self.process:forget()
  files.remove(self.folder)
end

return server
