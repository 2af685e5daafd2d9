-- The workers, each behind a proxy of its own, and their supervisor, which starts a dead one again after a second.
local files = require "spec.support.files"
local process = require "spec.support.process"
local proxy = require "spec.support.proxy"
local wait = require "spec.support.wait"
local worker = require "spec.support.worker"

local fleet = {
  EXECUTORS = 2, -- of a generation
  GRACE = 10, -- seconds
}

---@class chaos.Fleet
---@field spoiled_till number until when the files were such as no worker starts with
---@field deprecated_at number when the workers were last told to end by a rollout
---@field on_uncovered fun(worker: integer)? a worker whose files lacked what was on its queue has ended, as it should
local methods = {}
methods.__index = methods

local RESTART_AFTER = 1

--- Starts the workers.
---@param db spec.Database
---@param places { root: spec.Root, args: string[]? }[] the files of each worker, and its further words
---@param options { paths: string[], executions: string, logs: string, concurrency: integer } the file for executions, and the folder that
---   keeps what they say
---@return chaos.Fleet
function fleet.open(db, places, options)
  local self = setmetatable({
    options = options, places = {}, surprises = {}, spoiled_till = -math.huge, deprecated_at = -math.huge,
  }, methods)
  for i, place in ipairs(places) do
    self.places[i] = {
      index = i, root = place.root, args = place.args or {}, proxy = proxy.open(db), starts = 0, expected = false, stale_till = -math.huge,
    }
    self:launch(self.places[i])
  end
  return self
end

--- Waits until all of them run; raises where one does not.
function methods:await_running()
  for _, place in ipairs(self.places) do place.worker:await_log("running", 30) end
end

function methods:launch(place)
  place.starts = place.starts + 1
  place.expected = false
  place.launched_at = wait.now()
  local args = { "--executors", fleet.EXECUTORS, "--concurrency", self.options.concurrency, "--grace", fleet.GRACE, unpack(place.args) }
  place.worker = worker.launch(place.proxy, place.root, {
    args = args, paths = self.options.paths,
    env = { CHAOS_EXECUTIONS = self.options.executions, CHAOS_WORKER = place.index },
  })
end

-- Keeps its log and what it was.
local function bury(self, place)
  local ended = place.worker.process
  files.write(("%s/worker-%d-%d.log"):format(self.options.logs, place.index, place.starts), ended:errors())
  ended:forget()
  place.worker, place.due = nil, wait.now() + RESTART_AFTER
end

local REFUSED = { [3] = true, [4] = true, [5] = true } -- the codes of a worker whose files are bad

local UNCOVERED = 5

-- Whether a worker ended as it was made to: killed, refused at its start with bad files, with stale ones while they were that, or drained
-- by a rollout.
local function is_expected(self, place, ended)
  if place.expected then return true end
  if ended.code == UNCOVERED and wait.now() <= place.stale_till then
    if self.on_uncovered then self.on_uncovered(place.index) end
    return true
  end
  if REFUSED[ended.code] then return place.launched_at <= self.spoiled_till and #place.worker:log "running" == 0 end
  return ended.code == 0 and place.launched_at <= self.deprecated_at
end

--- Looks after them: buries the dead and starts them again. One that ended without a reason is a surprise.
function methods:supervise()
  for _, place in ipairs(self.places) do
    local ended = place.worker and place.worker.process:poll()
    if ended then
      if not is_expected(self, place, ended) then
        self.surprises[#self.surprises + 1] =
          ("worker %d ended with %s %d"):format(place.index, ended.signal and "signal" or "code", ended.signal or ended.code)
      end
      bury(self, place)
    elseif not place.worker and wait.now() >= place.due then
      self:launch(place)
    end
  end
end

--- The host's process of a worker; nil while it is down.
function methods:host(index)
  local place = self.places[index]
  return place.worker and place.worker.process
end

--- The id of the worker that runs there now; nil while none does.
---@return string?
function methods:worker_id(index)
  local place = self.places[index]
  if place.id_of ~= place.starts then
    local running = place.worker and place.worker:log("running")[1]
    place.id, place.id_of = running and running.worker, running and place.starts
  end
  return place.worker and place.id
end

--- The ids of a worker's executors, in order.
---@return integer[]
function methods:executors(index)
  local host = self:host(index)
  if not host then return {} end
  local pids = {}
  for _, pid in ipairs(host:living()) do
    if files.read(("/proc/%d/cmdline"):format(pid)):find "^luaflow%zexecutor%z" then pids[#pids + 1] = pid end
  end
  table.sort(pids)
  return pids
end

--- Kills the host of a worker and whatever it was.
function methods:kill(index)
  self.places[index].expected = true
  self:host(index):signal(process.SIGKILL)
end

--- The files of a worker lack what can be on its queue; until they have been mended it may end for that.
function methods:begin_stale(index) self.places[index].stale_till = math.huge end

-- After which a worker that saw stale files has ended: a watched tree settles, a load, and what it has in flight.
local STALE_TAIL = 10 + fleet.GRACE

function methods:end_stale(index) self.places[index].stale_till = wait.now() + STALE_TAIL end

--- The network is whole again: no connection of a worker that was killed in silence stays open.
function methods:heal()
  for _, place in ipairs(self.places) do place.proxy:tell("all", "heal") end
end

--- Tells a worker to load its files again, unless it is just being started. Returns whether it was told.
function methods:hang_up(index)
  local place = self.places[index]
  if not place.worker or #place.worker:log "loaded" == 0 then return false end
  place.worker.process:signal(process.SIGHUP)
  return true
end

-- Whether the worker of a place has taken the files since it was told so: by a reload, or by another start.
local function has_taken(place, starts, reloads)
  if not place.worker then return false end
  if place.starts > starts then return #place.worker:log "running" > 0 end
  return #place.worker:log "reloaded" > reloads
end

--- Tells all of them to load their files again. Returns whether all have taken them within so many seconds.
---@param seconds number
---@param meanwhile? fun() called over and over
function methods:reload(seconds, meanwhile)
  local before = {}
  for i, place in ipairs(self.places) do
    before[i] = { starts = place.starts, reloads = place.worker and #place.worker:log "reloaded" or 0 }
    self:hang_up(i)
  end
  return (pcall(wait.till, function()
    if meanwhile then meanwhile() end
    for i, place in ipairs(self.places) do
      if not has_taken(place, before[i].starts, before[i].reloads) then return false end
    end
    return true
  end, seconds, "the workers to take their files", 0.25))
end

function methods:proxy(index) return self.places[index].proxy end

--- The resident memory of each host in MB; 0 for one that is down.
---@return number[]
function methods:memory()
  local all = {}
  for i in ipairs(self.places) do
    local host = self:host(i)
    local kilobytes = host and files.read(("/proc/%d/status"):format(host.pid)):match "VmRSS:%s*(%d+) kB"
    all[i] = (tonumber(kilobytes) or 0) / 1024
  end
  return all
end

--- The last resort: kills whatever lives, and keeps its logs.
function methods:abandon()
  for _, place in ipairs(self.places) do
    if place.worker then
      place.worker.process:kill()
      bury(self, place)
    end
    place.proxy:close()
  end
end

--- Drains all of them; one that does not end with 0 in good order, or leaves a process, is a surprise.
function methods:close()
  for _, place in ipairs(self.places) do
    if place.worker then
      local ok, ended = pcall(place.worker.stop, place.worker, 40)
      if not ok or ended.code ~= 0 then self.surprises[#self.surprises + 1] = ("worker %d did not drain"):format(place.index) end
      if not pcall(place.worker.process.assert_gone, place.worker.process, 3) then
        self.surprises[#self.surprises + 1] = ("worker %d left a process"):format(place.index)
      end
      bury(self, place)
    end
    place.proxy:close()
  end
end

return fleet
