-- The program behind spec/support/proxy.lua: luaflow lua proxy_process.lua FOLDER SERVER_SOCKET. Listens on FOLDER/.s.PGSQL.5432 and hands
-- bytes on, until commands in FOLDER/commands say otherwise: one a line, "KIND WHAT", where KIND is control, work, handler or all.
--   silent    connections of the kind that exist now hand nothing on any more, in either direction
--   halve     of what the client says next on them half is handed on, and then nothing any more, in either direction
--   swallow   what the server says on them is thrown away
--   cut       they are closed
--   heal      those that are silent and whose client is gone meanwhile are closed: the server learns of it
--   cut_commits   each is closed as soon as it has handed a COMMIT on, or every third time half of it, from now on; keep_commits ends that
--   refuse / accept   new connections of any kind are closed at once, or served again
-- Each command is answered with its number in FOLDER/done.
local ffi = require "ffi"
local bit = require "bit"

ffi.cdef [[
struct spec_address { uint16_t family; char path[108]; };
struct spec_poll { int fd; short events; short revents; };
int socket(int domain, int type, int protocol);
int bind(int fd, const void *address, unsigned size);
int listen(int fd, int backlog);
int accept(int fd, void *address, unsigned *size);
int connect(int fd, const void *address, unsigned size);
int poll(struct spec_poll *fds, unsigned long count, int timeout);
ssize_t read(int fd, void *buffer, size_t size);
ssize_t send(int fd, const void *buffer, size_t size, int flags);
int close(int fd);
int chmod(const char *path, unsigned mode);
]]

local C = ffi.C
local AF_UNIX, SOCK_STREAM, POLLIN, POLLOUT, POLLHUP, SIZE = 1, 1, 1, 4, 16, 65536
local SEND_FLAGS, EAGAIN = 0x4040, 11 -- MSG_DONTWAIT and MSG_NOSIGNAL
local READY = 1 + 4 + 8 + 16 -- POLLIN, POLLOUT, POLLERR, POLLHUP
local folder, server = select(2, ...)
local buffer = ffi.new("char[?]", SIZE)
local links, refusing, commands_done = {}, false, 0
local cutting, cuts = false, 0

local function address_of(path)
  local address = ffi.new "struct spec_address"
  address.family = AF_UNIX
  ffi.copy(address.path, path)
  return address, ffi.sizeof(address)
end

local function close(link)
  C.close(link.client)
  C.close(link.server)
  link.closed = true
end

-- What a connection is for shows in the statements that it prepares.
local function recognize(link, text)
  if link.kind then return end
  link.seen = (link.seen or "") .. text
  if link.seen:find('listen "pgflow:', 1, true) then link.kind = "control" end
  if link.seen:find("pgflow.claim_tasks", 1, true) then link.kind = "work" end
  if link.seen:find("pgflow.open_transaction", 1, true) then link.kind = "handler" end
  if link.kind then link.seen = nil end
end

-- Writes what one side has sent to the other. What a side that does not read has no room for waits, and its sender with it.
local function flush(link, way)
  while #way.waiting > 0 do
    local sent = tonumber(C.send(way.to, way.waiting, #way.waiting, SEND_FLAGS))
    if sent < 0 then
      if ffi.errno() ~= EAGAIN then close(link) end
      return
    end
    way.waiting = way.waiting:sub(sent + 1)
  end
end

local function hand_on(link, way)
  if #way.waiting > 0 then return flush(link, way) end
  local length = tonumber(C.read(way.from, buffer, SIZE))
  if length <= 0 then return close(link) end
  local text = ffi.string(buffer, length)
  if way.from == link.client then recognize(link, text) end
  if link.swallow and way.from == link.server then return end
  if link.halve and way.from == link.client then
    text = text:sub(1, math.ceil(#text / 2))
    link.silent = true
  end
  local commits = cutting and link.kind == "handler" and way.from == link.client and text:find("pgflow.complete_transaction", 1, true)
  if commits then
    cuts = cuts + 1
    if cuts % 3 == 0 then text = text:sub(1, math.ceil(#text / 2)) end
  end
  way.waiting = text
  flush(link, way)
  if commits and not link.closed then close(link) end
end

local function accept(listener)
  local client = C.accept(listener, nil, nil)
  if client < 0 then return end
  local upstream = C.socket(AF_UNIX, SOCK_STREAM, 0)
  if refusing or C.connect(upstream, address_of(server)) ~= 0 then
    C.close(client)
    C.close(upstream)
    return
  end
  links[#links + 1] = {
    client = client, server = upstream,
    ways = { { from = client, to = upstream, waiting = "" }, { from = upstream, to = client, waiting = "" } },
  }
end

local function is_gone(fd)
  local asked = ffi.new("struct spec_poll[1]", { { fd = fd } })
  return C.poll(asked, 1, 0) == 1 and bit.band(asked[0].revents, POLLHUP) ~= 0
end

local function obey(kind, what)
  if what == "refuse" or what == "accept" then refusing = what == "refuse" end
  if what == "cut_commits" or what == "keep_commits" then cutting = what == "cut_commits" end
  for _, link in ipairs(links) do
    if not link.closed and (kind == "all" or kind == link.kind) then
      if what == "cut" then close(link) end
      if what == "silent" then link.silent = true end
      if what == "halve" then link.halve = true end
      if what == "swallow" then link.swallow = true end
      if what == "heal" and link.silent and is_gone(link.client) then close(link) end
    end
  end
end

local function read_commands()
  local file = io.open(folder .. "/commands")
  if not file then return end
  local at = 0
  for kind, what in file:read("*a"):gmatch "(%S+) (%S+)\n" do
    at = at + 1
    if at > commands_done then obey(kind, what) end
  end
  file:close()
  if at == commands_done then return end
  commands_done = at
  local done = assert(io.open(folder .. "/done", "w"))
  done:write(at)
  done:close()
end

-- One entry for the listener, then two for each connection that is handed on.
local function watched(listener)
  local list = { { fd = listener, events = POLLIN } }
  local open = {}
  for _, link in ipairs(links) do
    if not link.closed then
      open[#open + 1] = link
      if not link.silent then
        for _, way in ipairs(link.ways) do
          local waits = #way.waiting > 0
          list[#list + 1] = { fd = waits and way.to or way.from, events = waits and POLLOUT or POLLIN, link = link, way = way }
        end
      end
    end
  end
  links = open
  return list
end

local listener = C.socket(AF_UNIX, SOCK_STREAM, 0)
local path = folder .. "/.s.PGSQL.5432"
assert(C.bind(listener, address_of(path)) == 0 and C.listen(listener, 64) == 0, "the proxy cannot listen")
C.chmod(path, 511)
while true do
  local list = watched(listener)
  local fds = ffi.new("struct spec_poll[?]", #list)
  for i, entry in ipairs(list) do
    fds[i - 1].fd, fds[i - 1].events = entry.fd, entry.events
  end
  C.poll(fds, #list, 10)
  for i, entry in ipairs(list) do
    if bit.band(fds[i - 1].revents, READY) ~= 0 then
      if not entry.link then
        accept(listener)
      elseif not entry.link.closed then
        hand_on(entry.link, entry.way)
      end
    end
  end
  read_commands()
end
