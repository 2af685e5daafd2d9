-- A mistake in how a database is named ends every command with exit 2, wherever the name comes from; nothing tries it again.
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "named" }:step({ slug = "only" }, function(input) return input end)
]]

-- Each: the parameter, and what is said of it. Only an attempt to connect finds the first ones.
local MISTAKES = {
  { "sslmode=zzz", "invalid sslmode value" },
  { "target_session_attrs=zzz", "invalid target_session_attrs value" },
  { "channel_binding=zzz", "invalid channel_binding value" },
  { "host=/tmp,/tmp port=1,2,3", "could not match 3 port numbers to 2 hosts" },
  { "connect_timeout=zz", "connect_timeout is not a whole number", in_file = false },
  { "service=nowhere", "definition of service not found" },
  { "port=99999", "port", in_file = "invalid port number" },
  { "host=" .. ("a,"):rep(16) .. "a", "it names more than 16 hosts", in_file = false },
}

describe("a connection string with a mistake", function()
  local here

  setup(function()
    here = scene.open { ["flows/named.lua"] = FLOW }
    here.root:write("services", "")
  end)
  teardown(function() here:close() end)

  local function assert_ends(words, env, ...)
    local result = here:luaflow(words, { env = env, seconds = 30 })
    said.assert_refused(result, 2, ...)
  end

  for _, mistake in ipairs(MISTAKES) do
    local parameter, why = mistake[1], mistake[2]
    local name = parameter:sub(1, 30)

    local function text() return here.db.conninfo .. " " .. parameter end

    it("ends a worker and other commands: " .. name, function()
      assert_ends({ "worker", "--executors", "1", "--database", text(), "flows" }, {}, why)
      assert_ends({ "start", "named", "--database", text() }, {}, why)
      assert_ends({ "doctor" }, { DATABASE_URL = text() }, why)
    end)

    it("ends a worker, of its handlers: " .. name, function()
      local env = { DATABASE_URL = here.db.conninfo }
      assert_ends({ "worker", "--executors", "1", "--handler-database", text(), "flows" }, env, "--handler-database", why)
    end)

    if mistake.in_file ~= false then
      it("ends all of them, in a service file: " .. name, function()
        here.root:write("services", "[wrong]\n" .. parameter:gsub(" ", "\n") .. "\n")
        local env = { PGSERVICEFILE = here.root:at "services", DATABASE_URL = here.db.conninfo }
        local found = mistake.in_file or parameter:find "^service" and "nested service" or why
        local function is(database) env.DATABASE_URL = database end
        assert_ends({ "worker", "--executors", "1", "--handler-database", "service=wrong", "flows" }, env, "--handler-database", found)
        is "service=wrong"
        assert_ends({ "worker", "--executors", "1", "flows" }, env, found)
        assert_ends({ "start", "named" }, env, found)
      end)
    end
  end

  it("ends them in a variable too", function()
    local text = here.db.conninfo .. " sslmode=zzz"
    local env = { DATABASE_URL = text }
    assert_ends({ "worker", "--executors", "1", "flows" }, env, "luaflow: DATABASE_URL: ", "invalid sslmode value")
    assert_ends({ "migrate" }, { LUAFLOW_DATABASE = text }, "luaflow: LUAFLOW_DATABASE: ", "invalid sslmode value")
    assert_ends({ "migrate", "--database", text }, {}, "luaflow: --database: ", "invalid sslmode value")
    env = { DATABASE_URL = here.db.conninfo, LUAFLOW_HANDLER_DATABASE = text }
    assert_ends({ "worker", "--executors", "1", "flows" }, env, "LUAFLOW_HANDLER_DATABASE: ", "invalid sslmode value")
  end)

  it("is an error of a handler's statement at once", function()
    here.root:write("ask.lua", "local ctx = ...\nctx:query 'select 1'")
    local result = here:luaflow({ "lua", "ask.lua" }, { env = { DATABASE_URL = here.db.conninfo .. " sslmode=zzz" }, seconds = 30 })
    assert.equal(1, result.code)
    said.assert_says(result.err, "invalid sslmode value")
  end)

  -- As in a container that is given a number as its user.
  describe("of an account without a name", function()
    local function nameless(words, env)
      local argv = { "setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups", process.luaflow(), unpack(words) }
      return process.run { argv = argv, cwd = here.root.path, env = env }
    end

    before_each(function()
      process.run { argv = { "chmod", "-R", "a+rX", here.root.path } }
      if nameless({ "check", "flows" }, {}).code ~= 0 then pending "this account cannot start the program as another" end
    end)

    it("ends a worker and other commands where it names no user", function()
      local env = { DATABASE_URL = here.db.conninfo:gsub(" ?user=%S+", "") }
      for _, words in ipairs { { "worker", "--executors", "1", "flows" }, { "start", "named" } } do
        said.assert_refused(nameless(words, env), 2, "no user is given", "local user with ID 54321 does not exist", "user=NAME", "PGUSER")
      end
    end)

    it("says which folder dev cannot have", function()
      local refused = nameless({ "dev" }, { HOME = "/proc/self" })
      said.assert_refused(refused, 1, "dev: the folder /proc/self/.local cannot be created: ", "--data")
    end)
  end)

  describe("in a PG variable", function()
    local function connecting(env)
      return pairs {
        start = { "start", "named" }, worker = { "worker", "--executors", "1", "flows" }, doctor = { "doctor" },
        migrate = { "migrate" }, check = { "check", "--database", env.DATABASE_URL, "flows" },
      }
    end

    it("ends each command that connects", function()
      for name, value in pairs { PGSSLMODE = "zzz", PGCONNECT_TIMEOUT = "zz", PGSERVICE = "" } do
        local env = { DATABASE_URL = here.db.conninfo, [name] = value }
        for _, words in connecting(env) do
          assert_ends(words, env, ("luaflow: %s: "):format(name), (': "%s"\n'):format(value), "hint: correct ", name)
        end
      end
    end)

    -- Each: the variable, its value, and what is said of it; @ is where the value stands.
    local VARIABLES = {
      { "PGSERVICE", "nowhere", 'definition of service not found: "@"' },
      { "PGSSLMODE", "", 'invalid sslmode value: "@"' },
      { "PGCHANNELBINDING", "zzz", 'invalid channel_binding value: "@"' },
      { "PGGSSENCMODE", "zzz", 'invalid gssencmode value: "@"' },
      { "PGTARGETSESSIONATTRS", "zzz", 'invalid target_session_attrs value: "@"' },
      { "PGSSLMINPROTOCOLVERSION", "zzz", 'invalid ssl_min_protocol_version value: "@"' },
      { "PGSSLMAXPROTOCOLVERSION", "TLSv9", 'invalid ssl_max_protocol_version value: "@"' },
      { "PGCONNECT_TIMEOUT", "-5", 'connect_timeout is not a whole number: "@"' },
      { "PGHOSTADDR", "zzz", 'could not parse network address: Name or service not known: "@"' },
      { "PGPORT", "99999", 'invalid port number: "@"' },
      { "PGPORT", "zzz", 'invalid integer value for connection option: "@"' },
      { "PGPORT", "1,2", 'could not match 2 port numbers to 1 hosts: "@"' },
      { "PGHOST", ("a,"):rep(16) .. "a", 'it names more than 16 hosts: "@"' },
      { "PGHOST", "/" .. ("x"):rep(200), "Unix-domain socket path is too long" },
    }
    for _, case in ipairs(VARIABLES) do
      local name, value, why = unpack(case)
      it(("names it: %s=%s"):format(name, value:sub(1, 20)), function()
        local server = here.db.conninfo
        local env = { DATABASE_URL = server, [name] = value }
        if name == "PGHOST" or name == "PGPORT" then -- of what the connection string says, nothing is taken from a variable
          env.DATABASE_URL = "dbname=" .. here.db.name
          for word, of in pairs { host = "PGHOST", user = "PGUSER" } do env[of] = env[of] or server:match(word .. "=(%S+)") end
        end
        local words = ("luaflow: %s: %s"):format(name, why:gsub("@", value))
        assert_ends({ "start", "named" }, env, words, "hint: correct ", name)
      end)
    end

    it("ends a worker at once: a port and too many hosts", function()
      for name, value in pairs { PGPORT = "zzz", PGHOST = ("a,"):rep(16) .. "a" } do
        local env = { DATABASE_URL = "dbname=none", [name] = value }
        assert_ends({ "worker", "--executors", "1", "flows" }, env, "luaflow: " .. name .. ": ")
      end
    end)

    it("names the service file", function()
      local wrong = {
        ["a line without a keyword\n"] = "syntax error in service file, line 2", ["nonsense=1\n"] = "syntax error in service file, line 2",
        ["service=other\n"] = "nested service specifications not supported in service file, line 2",
        [("x"):rep(2000) .. "=1\n"] = "line 2 too long in service file",
      }
      local file = here.root:at "services"
      for lines, why in pairs(wrong) do
        here.root:write("services", "[wrong]\n" .. lines)
        local env = { PGSERVICEFILE = file, PGSERVICE = "wrong", DATABASE_URL = here.db.conninfo }
        assert_ends({ "start", "named" }, env, ('luaflow: PGSERVICE: %s: "wrong"'):format(why), ('PGSERVICEFILE="%s"'):format(file))
        env.DATABASE_URL, env.PGSERVICE = here.db.conninfo .. " service=wrong", nil
        assert_ends({ "start", "named" }, env, "luaflow: DATABASE_URL: ", why, ('PGSERVICEFILE="%s"'):format(file))
      end
      for _, missing in ipairs { "/nowhere", "", here.root.path } do
        local env = { PGSERVICEFILE = missing, PGSERVICE = "wrong", DATABASE_URL = here.db.conninfo }
        assert_ends({ "start", "named" }, env, "luaflow: PGSERVICE: ", "not found", ('PGSERVICEFILE="%s"'):format(missing))
      end
    end)
  end)

  it("is told from what a server does not give, and what asks for that is named", function()
    local socket = here.db.conninfo
    for _, case in ipairs {
      { PGTARGETSESSIONATTRS = "standby", "target_session_attrs asks for: correct PGTARGETSESSIONATTRS" },
      { PGOPTIONS = "-c unheard_of=1", "a setting in options: correct PGOPTIONS" },
      { PGOPTIONS = "zzz", "-c NAME=VALUE: correct PGOPTIONS" },
      { PGTZ = "No/Where", "refuses the value of a setting in options: correct PGTZ" },
      { PGGEQO = "zzz", "refuses the value of a setting in options: correct PGGEQO" },
      { PGREQUIREPEER = "zzz", "than requirepeer asks for: correct PGREQUIREPEER" },
      { socket .. " options='-c geqo=zz'", "a setting in options: correct LUAFLOW_DATABASE" },
      { socket .. " target_session_attrs=standby", "target_session_attrs asks for: correct LUAFLOW_DATABASE" },
      { "dbname=none", PGHOST = "/nowhere", "hint: check LUAFLOW_DATABASE, PGHOST, and that the server runs" },
    } do
      local env = { LUAFLOW_DATABASE = case[2] and case[1] or socket }
      for name, value in pairs(case) do
        if type(name) == "string" then env[name] = value end
      end
      said.assert_refused(here:luaflow({ "runs" }, { env = env, seconds = 30 }), 6, case[2] or case[1])
    end
  end)
end)
