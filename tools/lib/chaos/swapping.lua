-- tools/chaos --swaps: two replicas of one queue with different files, a steady load with long tasks, and swaps every few seconds; then
-- quiet, recovery, and the verdict.
local faults = require "tools.lib.chaos.faults"
local fleet = require "tools.lib.chaos.fleet"
local history = require "tools.lib.chaos.history"
local load = require "tools.lib.chaos.load"
local old_executors = require "tools.lib.chaos.old_executors"
local orders = require "tools.lib.chaos.orders"
local probes = require "tools.lib.chaos.probes"
local releases = require "tools.lib.chaos.releases"
local server = require "spec.support.server"
local swap_verdict = require "tools.lib.chaos.swap_verdict"
local swaps = require "tools.lib.chaos.swaps"
local system = require "system"
local wait = require "spec.support.wait"

local swapping = { REPLICAS = 2 }

local TICK, CONCURRENCY = 0.1, 400 -- seconds; tasks of a worker: fences and kills make all long ones begin again
local LAST, RECOVERY = 5, 300 -- seconds: the load after the last reload; a long task, one that was lost, and its end elsewhere
local SETTLES = 2 -- seconds
local TRIES = 6 -- a worker may just be ending
local DRAIN = 3 -- seconds within which a worker has ended that has given its tasks back

---@class chaos.Swapping: chaos.Scene
---@field releases chaos.Releases
---@field probes chaos.Probes
---@field orders chaos.Orders
---@field old_executors chaos.OldExecutors
---@field later { due: number, act: fun(all: boolean): boolean? }[] what swaps have still to do
local methods = {}
methods.__index = methods

--- Something that loses tasks comes over a worker, or a rollout over all of them.
---@param kind "kill_host"|"kill_executor"|"rollout"
---@param swap chaos.Swap
---@return fun(all: boolean): boolean? what ends it, where something has to; false: it is to be called again
function methods:fault(kind, swap)
  local fault = { kind = kind, worker = swap.worker, lasts = swap.lasts, choice = swap.choice, connection = "all" }
  local entry = self.history:begin(setmetatable({ kind = kind == "rollout" and "fence" or kind }, { __index = fault }))
  if kind ~= "kill_executor" then self.orders:interrupt(kind == "kill_host" and swap.worker or nil) end
  local _, undo, killed = faults.apply(self, fault)
  entry.killed = killed
  if not undo then history.over(entry) end
  return function(all)
    if undo(all) == false then return false end
    history.over(entry)
  end
end

local function go_on(self)
  self.fleet:supervise()
  self.old_executors:look(self)
  wait.pause(TICK)
end

local function connections(self)
  return self.db:number "select count(*) from pg_stat_activity a where a.application_name like 'luaflow worker%'"
end

local function state(self) return { connections = connections(self), memory = self.fleet:memory() } end

local function open(self, options)
  self.server = server.open()
  self.db = self.server:database()
  self.releases = releases.open(swapping.REPLICAS, options.minutes * 60)
  local trees = self.releases.trees
  self.fleet = fleet.open(self.db, { { root = trees[1].root }, { root = trees[2].root, args = { "--watch" } } }, {
    paths = { releases.PATH }, logs = self.logs, executions = self.executions, concurrency = CONCURRENCY,
  })
  self.fleet.on_uncovered = function(worker) self.history:add("uncovered", worker, system.gettime() - DRAIN) end
  self.fleet:await_running()
  self.load, self.probes = load.open(self.db, releases.ALIAS, nil, options.rate, false, wait.now()), probes.open(self.db)
  for _ = 1, SETTLES / TICK do -- every connection is there then
    self.load:feed(wait.now())
    go_on(self)
  end
  self.at_start = state(self)
end

-- All swaps; the time of a rollout counts for none of them. Returns when the last was done.
local function run_swaps(self, list, seconds, say)
  local from, at = wait.now(), 1
  while wait.now() - from < seconds or #self.later > 0 do
    local swap = list[at]
    if swap and wait.now() - from >= swap.at then
      local text = swaps.apply(self, swap)
      say("%s: %s", swap.kind, text)
      at = at + 1
    end
    swaps.finish(self, wait.now() - from >= seconds)
    self.load:feed(wait.now())
    go_on(self)
  end
  return wait.now()
end

-- Both replicas get the same files, and the load goes on for a while. Returns whether they have taken them.
local function reload_at_last(self)
  local list, reloaded = self.releases, false
  self.orders:interrupt()
  for index = 1, #list.trees do list:write(index, list.trees[1].versions, list.trees[1].active) end
  local function meanwhile()
    self.load:feed(wait.now())
    go_on(self)
  end
  for _ = 1, TRIES do reloaded = reloaded or self.fleet:reload(swaps.EVERY, meanwhile) end
  local till = wait.now() + LAST
  while wait.now() < till do meanwhile() end
  self.probes:finish()
  return reloaded
end

-- Waits for every run to end. Returns the seconds since then, nil where some do not end in time.
local function recover(self, last)
  local ended = pcall(wait.till, function()
    go_on(self)
    return self.db:try("select exists (select from pgflow.runs r where r.status = 'started')").out == "f\n"
  end, RECOVERY, "every run to end", 0.25)
  return ended and wait.now() - last or nil
end

--- All of it; returns whether nothing is wrong, and the output that runs should have.
---@param scene { logs: string, executions: string, history: chaos.History }
---@param options { minutes: number, seed: number, rate: number }
---@param say fun(line: string, ...)
---@return boolean, string
function swapping.run(scene, options, say)
  local self = setmetatable(scene, methods)
  self.orders, self.old_executors, self.later = orders.new(), old_executors.new(), {}
  open(self, options)
  local seconds = options.minutes * 60
  local last = run_swaps(self, swaps.make(options.seed, seconds), seconds, say)
  say "no more swaps; waiting for what is under way"
  if not reload_at_last(self) then table.insert(self.fleet.surprises, "some workers do not take the last files") end
  local recovered_in = recover(self, last)
  local at_end = state(self)
  self.fleet:close()
  faults.keep_server_log(self)
  say "verdict"
  local good = swap_verdict.tell({
    db = self.db, load = self.load, releases = self.releases, orders = self.orders, old_executors = self.old_executors,
    executions = self.executions, logs = self.logs, history = self.history, concurrency = CONCURRENCY,
    surprises = self.fleet.surprises, recovered_in = recovered_in,
    connections = { self.at_start.connections, at_end.connections }, memory = { self.at_start.memory, at_end.memory },
  }, say)
  return good, releases.EXPECTED
end

return swapping
