-- luaflow lua tools/lib/chaos/main.lua: see tools/chaos. A private server, workers behind proxies, a steady load, a seeded
-- schedule of faults; then quiet, recovery, and the verdict.
local faults = require "tools.lib.chaos.faults"
local files = require "spec.support.files"
local fleet = require "tools.lib.chaos.fleet"
local flows = require "spec.support.flows"
local load = require "tools.lib.chaos.load"
local options = require("tools.lib.chaos.options").read { select(2, ...) } -- the first is the context
local schedule = require "tools.lib.chaos.schedule"
local server = require "spec.support.server"
local verdict = require "tools.lib.chaos.verdict"
local wait = require "spec.support.wait"

local RECOVERY, TICK = 180, 0.1 -- seconds

local begun = wait.now()
local function say(line, ...)
  io.stdout:write(("%7.1f  "):format(wait.now() - begun), select("#", ...) > 0 and line:format(...) or line, "\n")
  io.stdout:flush()
end

-- Applies what is due and ends what is over; returns the time of the last fault.
local function run_faults(scene, list, load_of, until_s)
  local from, at, lasting, last = wait.now(), 1, {}, wait.now()
  local function end_some(all)
    for i = #lasting, 1, -1 do
      if all or wait.now() >= lasting[i].over then
        lasting[i].undo()
        last = wait.now()
        table.remove(lasting, i)
      end
    end
  end
  while wait.now() - from < until_s do
    local fault = list[at]
    if fault and wait.now() - from >= fault.at then
      local text, undo = faults.apply(scene, fault)
      say("%s: %s%s", fault.kind, text, undo and (" for %d s"):format(fault.lasts) or "")
      if undo then lasting[#lasting + 1] = { over = wait.now() + fault.lasts, undo = undo } end
      last, at = wait.now(), at + 1
    end
    end_some(false)
    scene.fleet:supervise()
    load_of:feed(wait.now())
    wait.pause(TICK)
  end
  end_some(true)
  return last
end

-- Waits for every run to end; returns the seconds since the last fault, nil where some do not end in time.
local function recover(scene, last)
  local ended = pcall(wait.till, function()
    scene.fleet:supervise()
    return scene.db:try("select exists (select from pgflow.runs r where r.status = 'started')").out == "f\n"
  end, RECOVERY, "every run to end", 0.25)
  return ended and wait.now() - last or nil
end

local function connections(scene)
  return scene.db:number "select count(*) from pg_stat_activity a where a.application_name like 'luaflow worker%'"
end

local folder = files.temporary_folder()
files.make_folder(folder .. "/logs")
local root = flows.root { ["flows/chaos.lua"] = options.flow and files.read(options.flow) or load.FLOW }
say("seed %d, %g minutes, %d workers, %g runs a second", options.seed, options.minutes, options.workers, options.rate)
local scene = { server = server.open() }
scene.db = scene.server:database()
scene.fleet = fleet.open(scene.db, root, options.workers, {
  paths = { "flows" }, logs = folder .. "/logs", env = { CHAOS_EXECUTIONS = folder .. "/executions" },
})
local name = options.start or "chaos"
local load_of = load.open(scene.db, name, options.input, options.rate, wait.now())
local seconds = options.minutes * 60
wait.till(function() return scene.db:number "select count(*) from pgflow.workers" == options.workers end, 30, "the workers")
local at_start = { connections = connections(scene), memory = scene.fleet:memory() }

local last = run_faults(scene, schedule.make(options.seed, seconds, options.workers), load_of, seconds)
say "no more faults; waiting for what is under way"
local recovered_in = recover(scene, last)
wait.till(function()
  scene.fleet:supervise()
  return connections(scene) >= at_start.connections
end, 40, "the workers to be connected")
wait.pause(3)
local at_end = { connections = connections(scene), memory = scene.fleet:memory() }
scene.fleet:close()
say "verdict"
local good = verdict.tell({
  db = scene.db, queue = scene.db:text "select min(s.queue_name) from pgflow.steps s", started = load_of.started,
  builtin = not options.flow, executions = folder .. "/executions", surprises = scene.fleet.surprises, recovered_in = recovered_in,
  connections = { at_start.connections, at_end.connections }, memory = { at_start.memory, at_end.memory },
}, say)
scene.server:close()
root:remove()
if good then files.remove(folder) else say("the logs are kept in %s", folder) end
os.exit(good and 0 or 1)
