-- A pseudo-terminal: what is typed on it reaches the program that leads its session.
local ffi = require "ffi"

ffi.cdef [[
int posix_openpt(int flags);
int grantpt(int fd);
int unlockpt(int fd);
int ptsname_r(int fd, char *buffer, size_t size);
int close(int fd);
ssize_t read(int fd, void *buffer, size_t size);
ssize_t write(int fd, const void *buffer, size_t size);
]]

local C = ffi.C
local FLAGS = 2 + 0x100 + 0x800 + 0x80000 -- O_RDWR, O_NOCTTY, O_NONBLOCK, O_CLOEXEC

local terminal = {}

---@class spec.Terminal
---@field path string of the side that the program opens
local methods = {}
methods.__index = methods

---@return spec.Terminal
function terminal.open()
  local fd = C.posix_openpt(FLAGS)
  assert(fd >= 0 and C.grantpt(fd) == 0 and C.unlockpt(fd) == 0, "no pseudo-terminal")
  local path = ffi.new("char[?]", 256)
  assert(C.ptsname_r(fd, path, 256) == 0)
  return setmetatable({ fd = fd, path = ffi.string(path), pieces = {} }, methods)
end

--- Types the text; "\3" is Ctrl-C.
---@param text string
function methods:type(text)
  assert(C.write(self.fd, text, #text) == #text)
end

--- Takes what was written to it, so that writers need not wait.
function methods:drain()
  local buffer = ffi.new("char[?]", 65536)
  while self.fd do
    local length = tonumber(C.read(self.fd, buffer, 65536))
    if length <= 0 then return end
    self.pieces[#self.pieces + 1] = ffi.string(buffer, length)
  end
end

--- Everything written to it so far.
---@return string
function methods:text()
  self:drain()
  return table.concat(self.pieces)
end

--- Closes the terminal, as when its window goes away.
function methods:close()
  if self.fd then C.close(self.fd) end
  self.fd = nil
end

return terminal
