-- The program behind spec/support/http_server.lua: luaflow lua http_server_process.lua FILE. Listens on a free port of 127.0.0.1, writes it
-- to FILE, and serves any number of connections at once:
--   /echo             method, target, headers and body of the request, as JSON
--   /answer?...       an answer made to order: status, body, and any other name as a header
--   /sleep/SECONDS    an answer after that long
--   /redirect/N       a redirect to /redirect/N-1, from 0 to /echo
--   /big/BYTES        a body of that length;  /endless  one in chunks without end
--   /truncated        an answer that ends too early;  /close  none at all;  /garbage  what is no HTTP
--   /limited/N        N answers in each second, {"good":true}; 429 with Retry-After beyond that
--   /stats            connections accepted and open, and requests whose client left before they were answered
-- and 403 to anything else, such as a CONNECT.
local bit = require "bit"
local cjson = require "cjson"
local ffi = require "ffi"
local system = require "system"

ffi.cdef [[
struct spec_inet { uint16_t family; uint16_t port; uint32_t address; char zero[8]; };
struct spec_poll { int fd; short events; short revents; };
int socket(int domain, int type, int protocol);
int setsockopt(int fd, int level, int name, const void *value, unsigned size);
int bind(int fd, const void *address, unsigned size);
int listen(int fd, int backlog);
int getsockname(int fd, void *address, unsigned *size);
int accept4(int fd, void *address, unsigned *size, int flags);
int poll(struct spec_poll *fds, unsigned long count, int timeout);
ssize_t recv(int fd, void *buffer, size_t size, int flags);
ssize_t send(int fd, const void *buffer, size_t size, int flags);
int close(int fd);
uint16_t ntohs(uint16_t port);
]]

local C = ffi.C
local AF_INET, SOCK_STREAM, NONBLOCK, LOCALHOST = 2, 1, 2048, 0x0100007f -- the address in network order
local POLLIN, POLLOUT, MSG_NOSIGNAL, EAGAIN, SIZE = 1, 4, 0x4000, 11, 65536
local buffer = ffi.new("char[?]", SIZE)
local connections, stats = {}, { accepted = 0, left = 0 }

local function unescape(text)
  return (text:gsub("+", " "):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

local function answer(connection, status, headers, body)
  local lines = { ("HTTP/1.1 %d Spec"):format(status), "Content-Length: " .. #body }
  for _, line in ipairs(headers) do lines[#lines + 1] = line end
  connection.out = connection.out .. table.concat(lines, "\r\n") .. "\r\n\r\n" .. (connection.method == "HEAD" and "" or body)
end

local routes = {}

function routes.echo(connection, request)
  answer(connection, 200, { "Content-Type: application/json" }, cjson.encode(request))
end

function routes.answer(connection, request)
  local status, body, headers = 200, "", {}
  for name, value in request.target:gmatch "[?&]([^=&]+)=([^&]*)" do
    name, value = unescape(name), unescape(value)
    if name == "status" then status = tonumber(value)
    elseif name == "body" then body = value
    else headers[#headers + 1] = name .. ": " .. value end
  end
  answer(connection, status, headers, body)
end

function routes.sleep(connection, _, seconds)
  connection.due = system.monotime() + tonumber(seconds)
end

function routes.redirect(connection, _, n)
  n = tonumber(n)
  answer(connection, 302, { "Location: " .. (n > 0 and "/redirect/" .. n - 1 or "/echo") }, "")
end

function routes.big(connection, _, size)
  answer(connection, 200, {}, ("x"):rep(tonumber(size)))
end

function routes.endless(connection)
  connection.out = "HTTP/1.1 200 Spec\r\nTransfer-Encoding: chunked\r\n\r\n"
  connection.endless = true
end

function routes.truncated(connection)
  connection.out, connection.last = "HTTP/1.1 200 Spec\r\nContent-Length: 100\r\n\r\nonly this", true
end

function routes.garbage(connection)
  connection.out, connection.last = "220 this is another protocol\r\n", true
end

function routes.close(connection)
  connection.last = true
end

local limited = { second = -1, answers = 0 }

function routes.limited(connection, _, most)
  local second = math.floor(system.monotime())
  if second ~= limited.second then limited = { second = second, answers = 0 } end
  limited.answers = limited.answers + 1
  if limited.answers > tonumber(most) then return answer(connection, 429, { "Retry-After: 1" }, "") end
  answer(connection, 200, {}, '{"good":true}')
end

function routes.stats(connection)
  local open = 0
  for _ in pairs(connections) do open = open + 1 end
  answer(connection, 200, {}, cjson.encode { accepted = stats.accepted, open = open, left = stats.left })
end

-- Takes one whole request from what has come. Chunked bodies are not spoken here.
local function take_request(connection)
  local head, rest = connection.input:match "^(.-\r\n\r\n)(.*)$"
  if not head then return nil end
  local method, target = head:match "^(%S+) (%S+) HTTP/1.1\r\n"
  local headers, lines = {}, {}
  for line in head:gmatch "\r\n([^\r]+)" do
    local name, value = line:match "^([^:]+):%s*(.-)%s*$"
    headers[name:lower()], lines[#lines + 1] = value, line
  end
  local length = tonumber(headers["content-length"] or 0)
  if #rest < length then return nil end
  connection.input = rest:sub(length + 1)
  return { method = method, target = target, headers = headers, lines = lines, body = rest:sub(1, length) }
end

local function drop(connection)
  if connection.due then stats.left = stats.left + 1 end
  C.close(connection.fd)
  connections[connection.fd] = nil
end

local function serve(connection)
  while not connection.due and not connection.last do
    local request = take_request(connection)
    if not request then return end
    connection.method = request.method
    local path = request.target:gsub("^http://[^/]+", "") -- as a proxy is asked, whose part it plays then
    local name, argument = path:match "^/(%a+)/?([^?]*)"
    local route = routes[name]
    if route then route(connection, request, argument) else answer(connection, 403, {}, "") end
  end
end

local function flush(connection)
  if connection.endless and #connection.out < SIZE then connection.out = connection.out .. "1000\r\n" .. ("x"):rep(4096) .. "\r\n" end
  if #connection.out > 0 then
    local sent = tonumber(C.send(connection.fd, connection.out, #connection.out, MSG_NOSIGNAL))
    if sent < 0 and ffi.errno() ~= EAGAIN then return drop(connection) end
    connection.out = connection.out:sub(math.max(sent, 0) + 1)
  end
  if connection.last and #connection.out == 0 then drop(connection) end
end

local function receive(connection)
  local length = tonumber(C.recv(connection.fd, buffer, SIZE, 0))
  if length <= 0 then return drop(connection) end
  connection.input = connection.input .. ffi.string(buffer, length)
  serve(connection)
  flush(connection)
end

local function accept(listener)
  local fd = C.accept4(listener, nil, nil, NONBLOCK)
  if fd < 0 then return end
  stats.accepted = stats.accepted + 1
  connections[fd] = { fd = fd, input = "", out = "" }
end

local function end_sleeps(now)
  for _, connection in pairs(connections) do
    if connection.due and connection.due <= now then
      connection.due = nil
      answer(connection, 200, {}, "slept")
      flush(connection)
      serve(connection)
    end
  end
end

local function listen()
  local listener = C.socket(AF_INET, SOCK_STREAM + NONBLOCK, 0)
  local address, size = ffi.new("struct spec_inet", { family = AF_INET, address = LOCALHOST }), ffi.new "unsigned[1]"
  size[0] = ffi.sizeof(address)
  assert(C.bind(listener, address, size[0]) == 0 and C.listen(listener, 1024) == 0, "the server cannot listen")
  C.getsockname(listener, address, size)
  local file = assert(io.open(arg[1] .. ".new", "w"))
  file:write(C.ntohs(address.port))
  file:close()
  os.rename(arg[1] .. ".new", arg[1])
  return listener
end

local listener = listen()
local fds, room = nil, 0
while true do
  local list = { false }
  for _, connection in pairs(connections) do list[#list + 1] = connection end
  if #list > room then
    room = #list * 2
    fds = ffi.new("struct spec_poll[?]", room)
  end
  for i, connection in ipairs(list) do
    local waits = connection and (#connection.out > 0 or connection.endless)
    fds[i - 1].fd, fds[i - 1].events = connection and connection.fd or listener, POLLIN + (waits and POLLOUT or 0)
  end
  C.poll(fds, #list, 5)
  for i, connection in ipairs(list) do
    local ready = fds[i - 1].revents
    if ready ~= 0 and not connection then
      for _ = 1, 64 do accept(listener) end
    elseif ready ~= 0 then
      if bit.band(ready, bit.bnot(POLLOUT)) ~= 0 then receive(connection) end
      if connections[connection.fd] == connection and bit.band(ready, POLLOUT) ~= 0 then flush(connection) end
    end
  end
  end_sleeps(system.monotime())
end
