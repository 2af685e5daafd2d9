-- PgBouncer in front of a database, on a socket of its own, as an account that is not root and may reach the server's socket.
local files = require "spec.support.files"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local PROGRAM = "/usr/sbin/pgbouncer"

local pooler = {}

--- Whether the program is there.
---@return boolean
function pooler.is_installed() return files.exists(PROGRAM) end

--- Starts it.
---@param db spec.Database
---@param mode "transaction"|"session"
---@return string conninfo of the database through it
---@return fun() close ends it
function pooler.open(db, mode)
  local folder = files.temporary_folder()
  local settings = db.conninfo .. " user=" .. db:text "select current_user"
  files.write(folder .. "/pgbouncer.ini", ([[
[databases]
* = %s
[pgbouncer]
listen_addr =
listen_port = 6543
unix_socket_dir = %s
auth_type = any
pool_mode = %s
ignore_startup_parameters = extra_float_digits,options
]]):format(settings, folder, mode))
  local socket = db:text("select split_part(current_setting('unix_socket_directories'), ',', 1)")
  local owner = process.run { argv = { "stat", "-c", "%u", socket } }.out:match "%d+"
  process.run { argv = { "chown", "-R", owner, folder } }
  local argv = { PROGRAM, folder .. "/pgbouncer.ini" }
  if tonumber(owner) ~= tonumber(process.run({ argv = { "id", "-u" } }).out:match "%d+") then
    argv = { "setpriv", "--reuid", owner, "--clear-groups", "--", unpack(argv) }
  end
  local started = process.spawn { argv = argv, name = "pgbouncer" }
  wait.till(function() return started:poll() or files.exists(folder .. "/.s.PGSQL.6543") end, 10, "the pooler to start")
  return ("host=%s port=6543 dbname=%s user=luaflow"):format(folder, db.name), function()
    started:kill()
    started:forget()
    files.remove(folder)
  end
end

return pooler
