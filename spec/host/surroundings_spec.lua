-- Whatever started it, luaflow runs the same: signals blocked or ignored, streams closed, few descriptors, hostile variables, process 1.
local database = require "spec.support.database"
local files = require "spec.support.files"
local flows = require "spec.support.flows"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local GREET = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "greet", max_attempts = 5, base_delay = 0 }
  :step({ slug = "salute" }, function(input) return "Hello, " .. input.name .. "!" end)
  :step({ slug = "leave_orphan", depends_on = { "salute" } }, function() return os.execute "(sleep 0.1 &)" end)
]]

local SIGNALS = "CHLD,TERM,HUP,INT,PIPE"

local HOSTILE = {
  PGHOST = "/nowhere", PGHOSTADDR = "127.0.0.1", PGPORT = "zz", PGUSER = "nobody", PGDATABASE = "nowhere", PGPASSWORD = "none",
  PGPASSFILE = "/nowhere", PGSERVICE = "nowhere", PGSERVICEFILE = "/nowhere", PGOPTIONS = "-c nonsense=1", PGAPPNAME = "none",
  PGSSLMODE = "verify-full", PGSSLROOTCERT = "/nowhere", PGREQUIREPEER = "nobody", PGTARGETSESSIONATTRS = "standby",
  PGCLIENTENCODING = "LATIN1", PGCONNECT_TIMEOUT = "zz", PGDATESTYLE = "German", PGTZ = "Asia/Tokyo", PGGEQO = "off",
  PGCHANNELBINDING = "require", PGGSSENCMODE = "require", PGSYSCONFDIR = "/nowhere", PGDATA = "/nowhere",
}

local function shell(script) return { "sh", "-c", script .. ' exec "$@"', "sh" } end
local function redirected(how) return { "sh", "-c", 'exec "$@" ' .. how, "sh" } end

-- Each: the words before the command, and what is different about it.
local SURROUNDINGS = {
  { name = "blocked signals", before = { "env", "--block-signal=" .. SIGNALS }, dev = true },
  { name = "ignored signals", before = { "env", "--ignore-signal=" .. SIGNALS } },
  { name = "closed standard input", before = redirected "<&-" },
  { name = "closed standard output", before = redirected ">&-", no_output = true },
  { name = "closed standard error", before = redirected "2>&-" },
  { name = "no standard streams", before = redirected "<&- >&- 2>&-", no_output = true, dev = true },
  { name = "40 descriptors", before = shell "ulimit -n 40;" },
  { name = "64 descriptors", before = shell "ulimit -n 64;", dev = true },
  { name = "files of 512 bytes at most, less than the log has", before = shell "ulimit -f 1;" },
  { name = "a mask that takes every right", before = shell "umask 777;", dev = true },
  { name = "neither HOME nor TMPDIR", before = { "env", "-u", "HOME", "TMPDIR=/nowhere" }, dev = true },
  { name = "a folder that cannot be written", read_only = true },
}

-- The first process of a container, if this user may make one; unshare itself does not pass signals on.
local PID_ONE = { "unshare", "--pid", "--fork", "--kill-child", "--mount-proc" }
local can_unshare = process.run({ argv = { "unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "true" } }).code == 0
if can_unshare then table.insert(SURROUNDINGS, { name = "being process 1", before = PID_ONE, inside = true, dev = true }) end

local function children(pid)
  local list = {}
  for child in files.read(("/proc/%d/task/%d/children"):format(pid, pid)):gmatch "%d+" do list[#list + 1] = tonumber(child) end
  return list
end

describe("luaflow with", function()
  local db, root

  setup(function()
    db = database.clone()
    root = flows.root { ["flows/greet.lua"] = GREET }
  end)

  teardown(function()
    db:drop()
    root:remove()
  end)

  local function command(surrounding, words, env)
    local argv = {}
    for _, word in ipairs(surrounding.before or {}) do argv[#argv + 1] = word end
    argv[#argv + 1] = process.luaflow()
    for _, word in ipairs(words) do argv[#argv + 1] = word end
    return { argv = argv, cwd = root.path, env = env }
  end

  local function stop(started, surrounding)
    if surrounding.inside then process.send(children(started.pid)[1], process.SIGTERM) else started:signal(process.SIGTERM) end
    assert.same({ code = 0 }, started:wait(30))
    started:assert_gone(10)
    started:forget()
  end

  local function complete()
    local run = db:complete("greet", '{"name": "Ada"}', 60)
    assert.equal("completed", run.status, run.error_message)
  end

  local function executors(started)
    local found = {}
    for _, pid in ipairs(started:living()) do
      if files.read(("/proc/%d/cmdline"):format(pid)):find "^luaflow%zexecutor" then found[#found + 1] = pid end
    end
    return found
  end

  local function protect(surrounding)
    if surrounding.read_only then process.run { argv = { "chmod", "-R", "a-w", root.path } } end
  end

  local function unprotect(surrounding)
    if surrounding.read_only then process.run { argv = { "chmod", "-R", "u+w", root.path } } end
  end

  for _, surrounding in ipairs(SURROUNDINGS) do
    describe(surrounding.name, function()
      before_each(function() protect(surrounding) end)
      after_each(function() unprotect(surrounding) end)

      it("checks, tries and starts", function()
        local function says(words, expected)
          local result = process.run(command(surrounding, words, { DATABASE_URL = db.conninfo }))
          if surrounding.no_output then
            assert.same({ 1, "" }, { result.code, result.out })
          else
            assert.equal(0, result.code, result.err)
            assert.truthy(result.out:find(expected), result.out)
          end
        end
        local before = db:number "select count(*) from pgflow.runs"
        says({ "check", "flows" }, "^queue greet: ok\n$")
        says({ "try", "flows", "salute", '{"name": "Ada"}' }, '^"Hello, Ada!"\n$')
        local known = db:number "select count(*) from pgflow.flows"
        if known == 0 then
          db:text [[select pgflow.create_flow('greet'), pgflow.add_step('greet', 'salute'),
            pgflow.add_step('greet', 'leave_orphan', '{salute}')]]
        end
        says({ "start", "greet", '{"name": "Ada"}' }, "^%x+%-%x+%-%x+%-%x+%-%x+\n$")
        assert.equal(before + 1, db:number "select count(*) from pgflow.runs")
      end)

      it("works, notices a dead executor, and drains", function()
        local words = { "worker", "--database", db.conninfo, "--executors", "1", "flows" }
        local started = process.spawn(command(surrounding, words))
        complete()
        local dead = executors(started)[1]
        process.send(dead, process.SIGKILL)
        complete()
        assert.not_same({ dead }, executors(started))
        if surrounding.inside then
          local inner = children(started.pid)[1]
          wait.till(function()
            for _, pid in ipairs(children(inner)) do
              if files.read(("/proc/%d/stat"):format(pid)):find "%) Z" then return false end
            end
            return true
          end, 10, "orphans to be reaped")
        end
        stop(started, surrounding)
      end)

      if surrounding.dev then
        it("serves a dev database", function()
          local env = { XDG_STATE_HOME = root:at "state" }
          local started = process.spawn(command(surrounding, { "dev" }, env))
          local result = wait.till(function()
            if started:poll() then error("dev has ended:\n" .. started:errors(), 0) end
            local tried = process.run(command({}, { "start", "greet", '{"name": "Ada"}', "--wait" }, env))
            return tried.code == 0 and tried
          end, 60, "dev to serve", 0.2)
          assert.truthy(result.out:find "leave_orphan", result.out)
          stop(started, surrounding)
        end)
      end
    end)
  end

  describe("hostile PG variables", function()
    it("leads dev, and commands beside it, to dev's own database", function()
      local env = { XDG_STATE_HOME = root:at "state" }
      for name, value in pairs(HOSTILE) do env[name] = value end
      local dev = process.spawn(command({}, { "dev" }, env))
      wait.till(function()
        if dev:poll() then error("dev has ended:\n" .. dev:errors(), 0) end
        return dev:output():find "is ready"
      end, 60, "dev to be ready", 0.1)
      local result = process.run(command({}, { "start", "greet", '{"name": "Ada"}', "--wait" }, env))
      assert.equal(0, result.code, result.err)
      assert.equal("completed", require("cjson").decode(process.run(command({}, { "runs", "--json" }, env)).out)[1].status)
      stop(dev, {})
    end)

    it("lets check and try do without a database, and ends others with one clear error", function()
      assert.equal(0, process.run(command({}, { "check", "flows" }, HOSTILE)).code)
      assert.equal(0, process.run(command({}, { "try", "flows", "salute", '{"name": "Ada"}' }, HOSTILE)).code)
      local result = process.run(command({}, { "start", "greet", "--database", "dbname=x" }, HOSTILE))
      assert.equal(2, result.code)
      assert.equal(1, select(2, result.err:gsub("luaflow: ", "")), result.err)
    end)
  end)

  it("requests by signal that come before the files are read wait for it", function()
    local function sh(script) assert.equal(0, process.run({ argv = { "sh", "-c", script }, cwd = root.path }).code) end
    sh "mkdir slow; seq -f slow/%g.lua 20000 | xargs touch" -- to be read for a while
    finally(function() sh "rm -r slow" end)
    local words = { "worker", "--database", db.conninfo, "--executors", "1", "--log-format", "json", "flows" }
    local started = process.spawn(command({}, words))
    wait.till(function() -- it has blocked SIGHUP, the first of the mask
      return files.read(("/proc/%d/status"):format(started.pid)):find "SigBlk:%s+%x*[13579bdf]\n"
    end, 20, "the worker to read its files", 0.001)
    started:signal(process.SIGHUP)
    process.run { argv = { "kill", "-USR1", tostring(started.pid) } }
    wait.till(function()
      assert.is_nil(started:poll())
      local said = started:errors()
      return said:find('"verb":"summary"', 1, true) and said:find('"verb":"running"', 1, true)
    end, 30, "the worker to run and to answer")
    stop(started, {})
  end)

  it("SIGQUIT ends a worker at once, and gives its task back", function()
    root:write("long/long.lua", [[
      local luaflow = require "luaflow"
      return luaflow.flow { slug = "long" }:step({ slug = "sleep" }, function(_, ctx) ctx:sleep(600) end)
    ]])
    local started = process.spawn(command({}, { "worker", "--database", db.conninfo, "--executors", "1", "long" }))
    wait.till(function() return db:try("select pgflow.start_flow('long', '{}')").code == 0 end, 30, "the worker's deployment", 0.1)
    wait.till(function()
      return db:number "select count(*) from pgflow.step_tasks t where t.status = 'started' and t.flow_slug = 'long'" == 1
    end, 30, "its task to be started")
    local before = wait.now()
    started:signal(process.SIGQUIT)
    assert.same({ code = 0 }, started:wait(20))
    assert.is_true(wait.now() - before < 15)
    assert.same({ status = "queued", attempts_count = 0 },
      db:row "select t.status, t.attempts_count from pgflow.step_tasks t where t.flow_slug = 'long'")
    started:forget()
  end)
end)
