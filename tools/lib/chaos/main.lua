-- luaflow lua tools/lib/chaos/main.lua: see tools/chaos, whose scratch folder CHAOS_FOLDER names. A private server, workers behind
-- proxies, a steady load, a seeded schedule of faults; then quiet, recovery, and the verdict.
local code = require "tools.lib.chaos.code"
local culprits = require "tools.lib.chaos.culprits"
local faults = require "tools.lib.chaos.faults"
local files = require "spec.support.files"
local fleet = require "tools.lib.chaos.fleet"
local flows = require "spec.support.flows"
local history = require "tools.lib.chaos.history"
local load = require "tools.lib.chaos.load"
local options = require("tools.lib.chaos.options").read { select(2, ...) } -- the first is the context
local schedule = require "tools.lib.chaos.schedule"
local server = require "spec.support.server"
local spells = require "tools.lib.chaos.spells"
local swapping = require "tools.lib.chaos.swapping"
local system = require "system"
local verdict = require "tools.lib.chaos.verdict"
local wait = require "spec.support.wait"

local RECOVERY, TICK, CONCURRENCY = 180, 0.1, 20 -- seconds; tasks of a worker

local begun = wait.now()
local function say(line, ...)
  io.stdout:write(("%7.1f  "):format(wait.now() - begun), select("#", ...) > 0 and line:format(...) or line, "\n")
  io.stdout:flush()
end

local function connections(scene)
  return scene.db:number "select count(*) from pg_stat_activity a where a.application_name like 'luaflow worker%'"
end

local function open_scene(scene)
  scene.server = server.open()
  scene.db = scene.server:database()
  spells.prepare(scene.db)
  scene.culprits = culprits.open(scene.db)
  local root, path
  if options.flow then
    local folder, name = options.flow:match "^(.*)/([^/]+)$"
    root, path = { path = folder ~= "" and folder or "/" }, name
  else
    root, path = flows.root {}, code.PATH
    scene.code = code.open(root)
    scene.db:text(code.TABLE)
  end
  local places = {}
  for i = 1, options.workers do places[i] = { root = root } end
  scene.fleet = fleet.open(scene.db, places, {
    paths = { path }, logs = scene.logs, executions = scene.executions, concurrency = CONCURRENCY,
  })
  scene.fleet:await_running()
  scene.load = load.open(scene.db, options.start or "chaos", options.input, options.rate, not options.flow, wait.now())
  wait.till(function() return scene.db:number "select count(*) from pgflow.workers" == options.workers end, 30, "the workers")
  scene.at_start = { connections = connections(scene), memory = scene.fleet:memory() }
end

-- Does what is due, and notes it in the history. What lasts is added to the list with its end.
local function do_fault(scene, fault, lasting)
  local entry = scene.history:begin(fault)
  local text, undo, killed = faults.apply(scene, fault)
  entry.killed = killed
  say("%s: %s%s", fault.kind, text, undo and (" for %d s"):format(fault.lasts) or "")
  if undo then
    lasting[#lasting + 1] = { over = wait.now() + fault.lasts, undo = undo, entry = entry }
  else
    history.over(entry)
  end
end

-- Ends what is over, or all of it, as far as it can be now; returns whether there was something.
local function end_faults(lasting, all)
  local ended = false
  for i = #lasting, 1, -1 do
    if (all or wait.now() >= lasting[i].over) and lasting[i].undo(all) ~= false then
      history.over(lasting[i].entry)
      table.remove(lasting, i)
      ended = true
    end
  end
  return ended
end

-- Goes through the schedule, all of it, however late; returns the time of the last fault.
local function run_faults(scene, list, seconds)
  local from, at, lasting, last = wait.now(), 1, {}, wait.now()
  while wait.now() - from < seconds or list[at] do
    local fault = list[at]
    if fault and wait.now() - from >= fault.at then
      do_fault(scene, fault, lasting)
      last, at = wait.now(), at + 1
    end
    if end_faults(lasting, false) then last = wait.now() end
    scene.fleet:supervise()
    scene.load:feed(wait.now())
    scene.culprits:feed()
    wait.pause(TICK)
  end
  while #lasting > 0 do
    if end_faults(lasting, true) then last = wait.now() end
    scene.fleet:supervise()
    wait.pause(TICK)
  end
  return last
end

-- Waits for every run to end and every worker to be back; returns the seconds since the last fault, nil where some do not end in time.
local function recover(scene, last)
  local ended = pcall(wait.till, function()
    scene.fleet:supervise()
    if not scene.load:command(wait.now()) or not scene.culprits:feed() then return false end
    return scene.db:try("select exists (select from pgflow.runs r where r.status = 'started')").out == "f\n"
  end, RECOVERY, "every run to end", 0.25)
  local recovered_in = ended and wait.now() - last or nil
  scene.fleet:heal() -- what vanished is not waited for before
  local back = pcall(wait.till, function()
    scene.fleet:supervise()
    return connections(scene) >= scene.at_start.connections
  end, 60, "the workers to be connected", 0.25)
  if not back then table.insert(scene.fleet.surprises, "some workers do not come back") end
  wait.pause(3)
  return recovered_in
end

local LAST_RUNS = 20

-- With no more faults every worker takes new code, and some runs show whether they run by it. Returns since when they should.
local function reload_at_last(scene)
  scene.code:save()
  if not scene.fleet:reload(30) then table.insert(scene.fleet.surprises, "some workers do not take the last code") end
  local last = { at = system.gettime(), revision = scene.code.revision }
  wait.pause(1)
  scene.load:start(scene.load.started + LAST_RUNS)
  scene.db:await_runs(60)
  return last
end

-- The tasks of runs with a wrong output.
local WRONG = [[
  select r.flow_slug as version, r.input as run_input, r.output as run_output, t.*
  from pgflow.runs r
  join pgflow.step_tasks t on t.run_id = r.run_id
  where r.status = 'completed' and r.output is distinct from %s
  order by t.run_id, t.step_slug, t.task_index]]

-- Keeps the rows that are unfinished, inconsistent or wrong, to find the reason.
local function keep_rows(scene, expected)
  for name, sql in pairs {
    invariants = "select * from pgflow.check_invariants(true)",
    runs = "select * from pgflow.runs r where r.status <> 'completed' order by r.started_at",
    tasks = "select * from pgflow.step_tasks t where t.status <> 'completed' order by t.run_id, t.step_slug, t.task_index",
    workers = "select * from pgflow.workers w order by w.started_at",
    activations = "select * from pgflow.alias_activations a order by a.activation_id",
    wrong = expected and WRONG:format(expected) or nil,
  } do
    local answer = scene.db:try("\\x on\n" .. sql)
    files.write(("%s/%s.txt"):format(scene.logs, name), answer.out .. answer.err)
  end
end

-- All of it; returns whether nothing is wrong, and the output that runs should have.
local function run(scene)
  local seconds = options.minutes * 60
  local last = run_faults(scene, schedule.make(options.seed, seconds, options.workers, options.faults, options.without), seconds)
  say "no more faults; waiting for what is under way"
  local recovered_in = recover(scene, last)
  local reloaded = scene.code and recovered_in and reload_at_last(scene) or { at = math.huge }
  local at_end = { connections = connections(scene), memory = scene.fleet:memory() }
  scene.fleet:close()
  faults.keep_server_log(scene)
  say "verdict"
  local runs = scene.db:rows [[
    select r.run_id, r.idempotency_key as key, r.restart_of_run_id as restart_of, r.flow_slug, r.status, r.error_message
    from pgflow.runs r]]
  local good = verdict.tell({
    db = scene.db, load = scene.load, culprits = scene.culprits, code = scene.code, last = reloaded,
    executions = scene.executions, logs = scene.logs, runs = runs, history = scene.history, concurrency = CONCURRENCY,
    surprises = scene.fleet.surprises, recovered_in = recovered_in,
    connections = { scene.at_start.connections, at_end.connections }, memory = { scene.at_start.memory, at_end.memory },
  }, say)
  return good, scene.code and code.EXPECTED
end

if options.swaps then options.workers = swapping.REPLICAS end
say("seed %d, %g minutes, %d workers, %g runs a second", options.seed, options.minutes, options.workers, options.rate)
local logs = (os.getenv "CHAOS_FOLDER" or files.temporary_folder()) .. "/logs"
files.make_folder(logs)
local scene = { logs = logs, executions = logs .. "/executions", history = history.new() }
local ok, good = xpcall(function()
  if not options.swaps then open_scene(scene) end
  local good, expected = (options.swaps and swapping.run or run)(scene, options, say)
  if not good then keep_rows(scene, expected) end
  scene.server:close()
  return good
end, debug.traceback)
if not ok then
  say("%s", good)
  if scene.fleet then pcall(scene.fleet.abandon, scene.fleet) end
  if scene.server then pcall(faults.keep_server_log, scene) end
  say "chaos: broken off, no verdict"
end
os.exit(ok and good and 0 or 1)
