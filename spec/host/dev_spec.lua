-- `luaflow dev` on a folder of its own: its database and workers, from the first start to --reset, and whatever ends it.
local cjson = require "cjson"
local database = require "spec.support.database"
local files = require "spec.support.files"
local flows = require "spec.support.flows"
local lfs = require "lfs"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local GREET = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "greet" }
  :step({ slug = "find_name" }, function(input) return input.name end)
  :step({ slug = "salute", depends_on = { "find_name" } }, function(deps) return "Hello, " .. deps.find_name .. "!" end)
]]

local CHANGED_GREET = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "greet" }
  :step({ slug = "salute" }, function(input) return "Good day, " .. input.name .. "!" end)
]]

local TALLY = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "tally" }:map({ slug = "double" }, function(n) return 2 * n end)
]]

local BROKEN = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "broken", timeuot = 5 }:step({ slug = "one" }, function() return 1 end)
]]

local READY = "luaflow dev is ready: 2 queues. Flows: greet, tally\nStart a run with: luaflow start NAME [JSON] --wait\n"

describe("luaflow dev", function()
  local root, home, folder, socket_folder, dev

  setup(function()
    root = flows.root {
      ["my project/.luaflow-root"] = "", ["my project/flows/greet.lua"] = GREET, ["my project/flows/tally.lua"] = TALLY,
      ["elsewhere/.luaflow-root"] = "",
    }
    home = root:at "my project"
  end)

  local function luaflow(words, options)
    local all = { process.luaflow() }
    for _, word in ipairs(words) do all[#all + 1] = word end
    local given = { argv = all, cwd = home, env = { XDG_STATE_HOME = root:at "state", LUAFLOW_LOG_FORMAT = "json" } }
    for name, value in pairs(options or {}) do given[name] = value end
    return given
  end

  local function run(words, options)
    return process.run(luaflow(words, options))
  end

  -- The lines of dev's and its workers' logs with that verb, decoded.
  local function log(verb)
    local found = {}
    for line in dev:errors():gmatch "[^\r\n]+" do
      local ok, entry = pcall(cjson.decode, line)
      if ok and type(entry) == "table" and entry.verb == verb then found[#found + 1] = entry end
    end
    return found
  end

  local function launch(words, options)
    dev = process.spawn(luaflow({ "dev", unpack(words or {}) }, options))
  end

  -- Where dev keeps its things: in the log when it makes them, and in its state file once the database serves.
  local function note_folders()
    local created = log("database_creating")[1]
    if created then folder = created.data:gsub("/pgdata$", "") end
    local conninfo = folder and files.lines(folder .. "/dev.state")[2]
    if conninfo then socket_folder = conninfo:match "host=(%S+)" end
  end

  local function await_ready()
    wait.till(function()
      if dev:poll() then error("dev has ended:\n" .. dev:errors(), 0) end
      return dev:output():gsub("\r", ""):find(READY, 1, true)
    end, 30, "dev to be ready")
    note_folders()
    assert.truthy(dev:output():find("Its database: psql 'host=" .. socket_folder, 1, true), dev:output())
  end

  local function start(words, options)
    launch(words, options)
    await_ready()
  end

  local function open_database()
    return database.at(files.lines(folder .. "/dev.state")[2])
  end

  -- The server's processes, which work in the folder of the data.
  local function servers()
    local pids = {}
    for name in lfs.dir "/proc" do
      if name:find "^%d+$" and lfs.symlinkattributes("/proc/" .. name .. "/cwd", "target") == folder .. "/pgdata" then
        pids[#pids + 1] = tonumber(name)
      end
    end
    return pids
  end

  -- Dev has ended so, and with it everything that it had started.
  local function assert_ended(expected)
    assert.same(expected, dev:wait(20))
    dev:assert_gone(10)
    wait.till(function() return #servers() == 0 end, 10, "the server's processes to be gone")
  end

  local function stop()
    assert.is_true(files.exists(socket_folder))
    dev:signal(process.SIGINT)
    assert_ended { code = 0 }
    assert.is_false(files.exists(socket_folder))
    dev:forget()
    dev = nil
  end

  local function complete(name, input)
    local result = run { "start", name, input, "--wait" }
    assert.equal(0, result.code, result.err)
    return result.out
  end

  local function list_flows()
    local names = {}
    for _, each in ipairs(cjson.decode(run({ "runs", "--json" }).out)) do names[#names + 1] = each.flow_slug end
    table.sort(names)
    return names
  end

  after_each(function()
    if dev then
      note_folders()
      dev:forget()
    end
    dev = nil
  end)

  teardown(function()
    if folder then
      wait.till(function() return #servers() == 0 end, 10, "the server's processes to be gone")
      files.remove(folder)
      if socket_folder then files.remove(socket_folder) end
      lfs.rmdir((folder:gsub("/[^/]*$", ""))) -- stays where others have theirs
    end
    root:remove()
  end)

  it("ends quietly at Ctrl-C while it makes its database", function()
    launch({}, { terminal = true })
    wait.till(function() return #log "database_creating" == 1 end, 10, "the database to be begun", 0.005)
    note_folders()
    dev.terminal:type "\3"
    assert_ended { code = 0 }
    assert.same({ false, false }, { files.exists(folder .. "/pgdata"), files.exists(folder .. "/pgdata.new") })
    local lines = select(2, dev:output():gsub("\n", "\n"))
    assert.equal(1, lines, dev:output())
    dev:forget()
    dev = nil
  end)

  it("has a database and workers ready, refuses a second one, and ends all at Ctrl-C", function()
    launch({}, { terminal = true })
    wait.till(function() return #log "database_creating" == 1 end, 10, "the database to be begun", 0.005)
    assert.equal('{"salute": "Hello, Ada!"}\n', complete("greet", '{"name": "Ada"}')) -- waits for dev, not yet ready
    await_ready()
    local below = run({ "start", "tally", "[1, 2]", "--wait" }, { cwd = home .. "/flows" })
    assert.same({ 0, '{"double": [2, 4]}\n' }, { below.code, below.out }, below.err)
    assert.is_true(#servers() > 0)
    assert.equal(2, #log "running")

    local outside = run({ "runs" }, { cwd = root:at "elsewhere" })
    assert.equal(6, outside.code)
    assert.truthy(outside.err:find("none of your luaflow dev runs for " .. root:at "elsewhere", 1, true), outside.err)

    local second = run { "dev" }
    assert.same({ 1, "" }, { second.code, second.out })
    assert.truthy(second.err:find(("already runs for %s (process %d)"):format(home, dev.pid), 1, true), second.err)
    assert.truthy(second.err:find(("or: kill %d; to use its database"):format(dev.pid), 1, true), second.err)
    assert.same({ "greet", "tally" }, list_flows())

    dev.terminal:type "\3"
    assert_ended { code = 0 }
    assert.equal(6, run({ "runs" }).code)
  end)

  it("keeps its data, also when it is killed", function()
    start()
    assert.same({ "greet", "tally" }, list_flows())
    assert.same({}, log "database_creating")
    local killed = dev
    killed:kill()
    launch() -- at once, while the server may still be about to end
    await_ready()
    assert.same({}, killed:living())
    killed:forget()
    assert.same({ "greet", "tally" }, list_flows())
    assert.equal('{"double": [6]}\n', complete("tally", "[3]"))
    dev:kill()
    assert_ended { signal = process.SIGKILL }
    dev:forget()
    assert.equal(6, run({ "runs" }).code)
  end)

  local function kill_server()
    assert.equal(0, os.execute("kill -9 " .. files.lines(folder .. "/pgdata/postmaster.pid")[1]))
  end

  it("starts again at once after its server was killed with it", function()
    start()
    kill_server()
    dev:kill()
    dev:forget()
    start()
    assert.equal('{"double": [8]}\n', complete("tally", "[4]"))
    stop()
  end)

  it("starts a worker or a server again that dies", function()
    start()
    for _, pid in ipairs(dev:living()) do
      local words = files.read(("/proc/%d/cmdline"):format(pid))
      if words:find "%zworker%z" and words:find "%ztally%z" then assert.equal(0, os.execute("kill -9 " .. pid)) end
    end
    wait.till(function() return #log "worker_died" == 1 and #log "running" == 3 end, 10, "the worker to be there again")
    assert.equal('{"double": [8]}\n', complete("tally", "[4]"))
    kill_server()
    wait.till(function() return #log "database_died" == 1 and #log "database_lost" > 0 end, 10, "the server's death to be noticed")
    local started = run { "start", "tally", "[5]" } -- waits for the server
    assert.same({ 0, "" }, { started.code, started.err })
    wait.till(function()
      return open_database():text "select count(*) from pgflow.runs r where r.status = 'started'" == "0"
    end, 20, "the run to end")
    stop()
  end)

  it("ends when its terminal closes", function()
    start({}, { terminal = true })
    dev.terminal:close()
    assert_ended { code = 0 }
  end)

  it("makes a flow of another shape anew with its data, and says so", function()
    root:write("my project/flows/greet.lua", CHANGED_GREET)
    start()
    local warned = {}
    for _, entry in ipairs(log "deployed_flow") do
      if entry.level == "warn" then warned[#warned + 1] = { entry.flow, entry.status, entry.message } end
    end
    assert.same({ { "greet", "recreated", "its runs and their data are deleted, and it is created again" } }, warned)
    local left = list_flows()
    assert.is_true(#left > 0)
    for _, name in ipairs(left) do assert.equal("tally", name) end
    assert.equal('{"salute": "Good day, Ada!"}\n', complete("greet", '{"name": "Ada"}'))
    stop()
  end)

  it("starts over with --reset", function()
    start { "--reset" }
    assert.equal(1, #log "database_creating")
    assert.same({}, list_flows())
    assert.equal('{"salute": "Good day, Ada!"}\n', complete("greet", '{"name": "Ada"}'))
    stop()
  end)

  it("reloads on save, and has a worker for every queue that comes", function()
    local STEPS = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "steps" }
  :step({ slug = "first" }, function(_, ctx) ctx:sleep(2) end)
  :step({ slug = "second", depends_on = { "first" } }, function() return "old" end)
]]
    local path = "my project/flows/steps.lua"
    local function await(verb, count, accept)
      return wait.till(function()
        local found = {}
        for _, entry in ipairs(log(verb)) do
          if not accept or accept(entry) then found[#found + 1] = entry end
        end
        return found[count]
      end, 15, verb)
    end
    local function of_steps(entry) return entry.program == "worker steps" end
    start()
    root:write(path, STEPS)
    await("running", 1, of_steps)
    assert.equal("steps", log("queue_added")[1].queue)

    local started = run { "start", "steps", "--json" }
    assert.equal(0, started.code, started.err)
    local run_id = cjson.decode(started.out).run_id
    local db = open_database()
    wait.till(function()
      return db:text "select count(*) from pgflow.step_tasks t where t.status = 'started'" == "1"
    end, 10, "the first step")
    root:write(path, (STEPS:gsub('"old"', '"new"')))
    local function of_change(entry) return entry.changes == "flows/steps.lua changed" end
    local line = await("reloaded", 1, of_change)
    assert.same({ cjson.null, 3 }, { line.program or cjson.null, line.workers }) -- once for all workers
    assert.equal('{"second": "new"}', db:await_run(run_id).output_text)
    root:write(path, (STEPS:gsub('"old"', '"newer"')))
    await("reloaded", 2, of_change)

    root:write(path, STEPS .. '  :step({ slug = "third", depends_on = { "second" } }, function() return 3 end)\n')
    line = await("reloaded", 1, function(entry) -- by the worker that is first: it follows all files
      return entry.changes ~= cjson.null and entry.changes and entry.changes:find("third", 1, true)
    end)
    assert.truthy(line.changes:find("steps: recreated: Step count: in the modules 3, in the database 2, Step at index 2: "
      .. "missing in the database (the modules have 'third')", 1, true), line.changes)
    local text = dev:errors()
    local before, after = text:find('"recreating_flow".-"steps".-third'), text:find('"steps","status":"recreated"', 1, true)
    assert.is_true(before and after and before < after, text)
    assert.equal("0", db:text "select count(*) from pgflow.runs r where r.flow_slug = 'steps'")

    root:write(path, STEPS .. "end")
    await("reload_refused", 1, function(entry) return entry.error:find("flows/steps.lua:5:", 1, true) end)
    assert.equal('{"double": [6]}\n', complete("tally", "[3]"))
    assert.equal(1, #log "reload_refused") -- once for all workers
    os.remove(root:at(path))
    await("stopped", 1, of_steps)
    assert.same({ 1, 1 }, { #log "reload_refused", #log "files_load_again" })
    assert.equal("steps", log("queue_removed")[1].queue)
    assert.equal('{"double": [8]}\n', complete("tally", "[4]"))
    assert.same({}, log "worker_died")
    stop()
  end)

  it("waits for the first file where there is none, also for one that is not right yet", function()
    root:write("fresh/.luaflow-root", "")
    assert(lfs.mkdir(root:at "fresh/flows"))
    launch({}, { cwd = root:at "fresh" })
    local line = wait.till(function() return log("waiting_for_flows")[1] end, 15, "dev to wait")
    assert.equal(root:at "fresh", line.root)
    root:write("fresh/flows/tally.lua", BROKEN)
    wait.till(function() return dev:errors():find("flows/tally.lua:2: [unknown_option]", 1, true) end, 15, "the problem")
    assert.is_nil(dev:poll())
    root:write("fresh/flows/tally.lua", TALLY)
    wait.till(function() return dev:output():find("luaflow dev is ready: 1 queue. Flows: tally", 1, true) end, 60, "dev to be ready")
    dev:signal(process.SIGTERM)
    assert.same({ code = 0 }, dev:wait(30))
    dev:forget()
  end)

  it("ends with 3 for problems in a flow, before anything is started", function()
    root:write("my project/flows/broken.lua", BROKEN)
    local result = run { "dev" }
    assert.same({ 3, "" }, { result.code, result.out })
    assert.truthy(result.err:find('flows/broken.lua:2: [unknown_option]', 1, true), result.err)
    assert.truthy(result.err:find('"timeout"', 1, true), result.err)
    assert.equal(0, #servers())
    os.remove(root:at "my project/flows/broken.lua")
  end)

  it("ends with 2 for an --env-file that cannot be read, before anything is started", function()
    local result = run({ "dev" }, {
      env = { XDG_STATE_HOME = root:at "state", LUAFLOW_LOG_FORMAT = "json", LUAFLOW_ENV_FILE = "nowhere.env" },
    })
    assert.same({ 2, "" }, { result.code, result.out })
    assert.equal("luaflow: cannot read LUAFLOW_ENV_FILE nowhere.env: No such file or directory\n"
      .. "  hint: give the path of a file with lines NAME=value; this one counts from " .. home .. "\n", result.err)
    root:write("my project/bad.env", "A=1\nB\n")
    result = run { "dev", "--env-file", "bad.env" }
    assert.same({ 2, "luaflow: --env-file bad.env:2: the line is not of the form NAME=value" },
      { result.code, result.err:match "[^\n]*" })
  end)

  it("ends with 2 where it finds no flows", function()
    local result = run({ "dev" }, { cwd = root:at "elsewhere" })
    assert.same({ 2, "" }, { result.code, result.out })
    assert.truthy(result.err:find("there is no folder " .. root:at "elsewhere/flows", 1, true), result.err)
    assert.truthy(result.err:find("luaflow dev PATH", 1, true), result.err)
  end)
end)
