-- A web server on this machine for what handlers ask for (see http_server_process.lua), and one that speaks TLS with a
-- certificate of its own.
local files = require "spec.support.files"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local http_server = {}

---@class spec.HttpServer
---@field url string without a slash at the end
local methods = {}
methods.__index = methods

--- Starts a server.
---@return spec.HttpServer
function http_server.open()
  local self = setmetatable({ folder = files.temporary_folder() }, methods)
  self.process = process.spawn {
    name = "http server", argv = { process.luaflow(), "lua", "spec/support/http_server_process.lua", self.folder .. "/port" },
  }
  wait.till(function() return self.process:poll() or files.exists(self.folder .. "/port") end, 10, "the server to listen")
  self.port = tonumber(files.read(self.folder .. "/port")) or error(self.process:errors())
  self.url = "http://127.0.0.1:" .. self.port
  return self
end

--- Starts a server that answers every path over TLS, and whose certificate for localhost nobody knows.
---@return spec.HttpServer with `certificate`, the path of its file
function http_server.open_tls()
  local self = setmetatable({ folder = files.temporary_folder() }, methods)
  self.certificate = self.folder .. "/certificate"
  local made = process.run {
    argv = {
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost", "-keyout", self.folder .. "/key", "-out", self.certificate,
    },
  }
  assert(made.code == 0, made.err)
  self.process = process.spawn {
    name = "tls server",
    argv = { "openssl", "s_server", "-accept", "127.0.0.1:0", "-key", self.folder .. "/key", "-cert", self.certificate, "-www" },
  }
  self.port = wait.till(function()
    if self.process:poll() then error(self.process:errors()) end
    return self.process:output():match "ACCEPT [%d.]+:(%d+)"
  end, 10, "the server to listen")
  self.url = "https://localhost:" .. self.port
  return self
end

function methods:close()
  self.process:forget()
  files.remove(self.folder)
end

return http_server
