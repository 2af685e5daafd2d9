-- Passwords of the database: no message repeats one, and no handler and no neighbour on the machine can read one.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"

local SECRET = "zq9secret"

-- Mistyped in every way that shows in libpq's own message, in a host, a port or a database's name.
local BROKEN = {
  ["a % that encodes nothing"] = { "postgresql://u:zq9secret%zz@127.0.0.1:1/d", "a % in it is not followed by two hexadecimal digits" },
  ["an encoded NUL"] = { "postgresql://u:zq9secret%00@127.0.0.1:1/d", "it contains %00" },
  ["an @ in the password"] = { "postgresql://u:p@zq9secret@127.0.0.1:1/d", "it has more than one @" },
  ["a slash in the password"] = { "postgresql://u:12/zq9secret@127.0.0.1:1/d", "it has a / before its @" },
  ["a port that is none"] = { "postgresql://127.0.0.1:zq9secret/d", "its port is not a number" },
  ["another scheme"] = { "postgresql+psycopg2://u:zq9secret@127.0.0.1:1/d", "its scheme is not postgresql://" },
  ["another scheme with parameters"] = { "mysql://u:zq9secret@127.0.0.1:1/d?a=b", "its scheme is not postgresql://" },
  ["no scheme"] = { "u:zq9secret@127.0.0.1:1/d", "it is neither a URI nor of the form keyword=value" },
  ["an unknown parameter"] = { "postgresql://u@127.0.0.1:1/d?zq9secret=1", "it has a parameter that libpq does not know" },
  ["a parameter without a value"] = { "postgresql://u@127.0.0.1:1/d?zq9secret", "a parameter has no =" },
  ["a parameter with two values"] = { "postgresql://u@127.0.0.1:1/d?zq9secret=b=c", "a parameter has a second =" },
  ["an open bracket"] = { "postgresql://u:zq9secret@[::1/d", "a [ is not closed" },
  ["a space in the password"] = { "host=127.0.0.1 password=a zq9secret", "a part of it is not of the form keyword=value" },
  ["an unknown keyword"] = { "host=127.0.0.1 password=a zq9secret=b", "it has a keyword that libpq does not know" },
  ["an open quotation mark"] = { "host=127.0.0.1 password='zq9secret", "a quotation mark is not closed" },
  ["a word that takes few values"] = { "host=127.0.0.1 port=1 sslmode=disable;zq9secret", "a parameter has a value that it cannot have" },
  ["a host with an @"] = { "host=u:zq9secret@127.0.0.1 port=1", "its host contains an @" },
}

describe("a connection string that is not valid", function()
  local here

  setup(function() here = scene.open { ["flows/none.lua"] = "return require 'luaflow'.worker { queue = 'q', flows = {} }" } end)
  teardown(function() here:close() end)

  local function assert_refused(argv, env, source, why)
    local result = here:luaflow(argv, { env = env })
    local said = result.out .. result.err
    assert.equal(2, result.code, said)
    assert.is_nil(said:find(SECRET, 1, true), said)
    assert.is_truthy(said:find(source .. " is not a valid connection string: " .. why, 1, true), said)
  end

  for mistake, case in pairs(BROKEN) do
    it("is never printed: " .. mistake, function()
      local text, why = case[1], case[2]
      assert_refused({ "runs", "--database", text }, {}, "--database", why)
      assert_refused({ "doctor" }, { LUAFLOW_DATABASE = text }, "LUAFLOW_DATABASE", why)
      assert_refused({ "worker", "flows" }, { DATABASE_URL = text }, "DATABASE_URL", why)
      assert_refused({ "worker", "--handler-database", text, "flows" }, { DATABASE_URL = here.db.conninfo }, "--handler-database", why)
      assert_refused({ "dev", "flows" }, { LUAFLOW_HANDLER_DATABASE = text }, "LUAFLOW_HANDLER_DATABASE", why)
    end)
  end

  it("is an error of the statement for a script, which has no other use for it", function()
    here.root:write("ask.lua", "local ctx = ...\nlocal ok, problem = pcall(ctx.query, ctx, 'select 1')\nprint(ok, tostring(problem))")
    local result = here:luaflow({ "lua", "ask.lua" }, { env = { DATABASE_URL = BROKEN["another scheme"][1] } })
    assert.equal(0, result.code)
    assert.is_truthy(result.out:find("DATABASE_URL is not a valid connection string", 1, true), result.out)
    assert.is_nil((result.out .. result.err):find(SECRET, 1, true))
  end)

  it("is not printed where it stands in the place of another argument either", function()
    local uri = "postgresql://u:zq9secret@127.0.0.1:1/d"
    for _, argv in ipairs { { "runs", uri }, { "worker", uri }, { "doctor", uri }, { "check", uri } } do
      local result = here:luaflow(argv)
      assert.equal(2, result.code)
      assert.is_nil((result.out .. result.err):find(SECRET, 1, true), result.err)
    end
  end)

  it("may be the bare name of a database", function()
    local result = here:luaflow { "runs", "--database", "no_such-database.1" }
    assert.equal(6, result.code, result.err)
  end)
end)

local SPY = [[
local luaflow = require "luaflow"
local ffi = require "ffi"
ffi.cdef "int getppid(void); ssize_t readlink(const char *, char *, size_t);"

local function read(path)
  local file = io.open(path)
  if not file then return "" end
  local text = file:read "*a"
  file:close()
  return text or ""
end

-- What each descriptor below a hundred is.
local function descriptors()
  local found, buffer = {}, ffi.new("char[?]", 256)
  for fd = 0, 99 do
    local length = ffi.C.readlink("/proc/self/fd/" .. fd, buffer, 256)
    if length > 0 then found[#found + 1] = ffi.string(buffer, length) end
  end
  return found
end

local function spy()
  local host = "/proc/" .. ffi.C.getppid()
  return {
    environ = (read(host .. "/environ"):gsub("%z", "\n")), memory = io.open(host .. "/mem") ~= nil, maps = read(host .. "/maps"),
    line = (read(host .. "/cmdline"):gsub("%z", " ")), own = (read "/proc/self/environ":gsub("%z", "\n")),
    files = luaflow.array(descriptors()),
  }
end

return luaflow.worker { queue = "spies", flows = {
  luaflow.deploy(luaflow.flow { slug = "spy", max_attempts = 1 }:step({ slug = "look" }, spy), { routes = { look = "spies" } }),
} }
]]

describe("a handler", function()
  local here

  before_each(function() here = scene.open { ["flows/spy.lua"] = SPY } end)
  after_each(function() here:close() end)

  -- As in most containers, where root cannot look into other processes either; for other accounts this changes nothing.
  local function unprivileged()
    local path = here.root:at "unprivileged"
    files.write(path, ("#!/bin/sh\nexec setpriv --bounding-set=-sys_ptrace,-perfmon,-sys_admin -- %s \"$@\"\n"):format(process.luaflow()))
    os.execute("chmod 755 " .. path)
    return path
  end

  it("finds the password neither in the host's environment, memory or command line nor in its own", function()
    here:worker {
      program = unprivileged(), database = here.db.conninfo .. " password=" .. SECRET,
      args = { "--handler-database=" .. here.db.conninfo .. " password=" .. SECRET, "--executors", "1" },
      env = { DATABASE_URL = here.db.conninfo .. " password=" .. SECRET, PGPASSWORD = SECRET },
    }
    local seen = here.db:complete("spy").output.look
    assert.same({ "", false, "" }, { seen.environ, seen.memory, seen.maps })
    assert.is_truthy(seen.line:find("worker --database *", 1, true), seen.line)
    for _, text in ipairs { seen.line, seen.own } do assert.is_nil(text:find(SECRET, 1, true), text) end
    for name in seen.own:gmatch "([^=\n]+)=[^\n]*" do
      assert.is_nil(name:match "^PG" or name:match "^LUAFLOW_" or name:match "^DATABASE_URL", name)
    end
  end)

  it("inherits no descriptor of the host's", function()
    here:worker { args = { "--executors", "1" } }
    local sockets = 0
    for _, name in ipairs(here.db:complete("spy").output.look.files) do
      if name:find "^socket:" then sockets = sockets + 1 end
    end
    assert.equal(3, sockets) -- standard output, standard error, and the channel
  end)
end)
