-- What --swaps does to two replicas of one queue: new code, new versions, aliases forth and back, stale and bad files, fences and kills,
-- so that some worker reloads every few seconds. Replica 1 reloads by SIGHUP; replica 2 watches its files.
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local swaps = {}

swaps.EVERY = 5 -- seconds from one change to the next
swaps.SETTLE = 2 -- seconds, the default of --watch-settle
local REPLICAS, WATCHING = 2, 2

-- How often each kind comes, out of the sum of all.
local WEIGHTS = {
  { "code", 5 }, { "same", 2 }, { "version", 4 }, { "back", 3 }, { "disagree", 3 }, { "stale", 3 }, { "spoil", 3 }, { "fence", 2 },
  { "kill_host", 1 }, { "kill_executor", 3 }, { "order", 2 },
}
local KILLED = 4 -- of so many stale replicas one starts with the stale files, the others load them

---@class chaos.Swap
---@field at number seconds after the start
---@field kind string
---@field worker integer
---@field lasts number
---@field choice integer

--- The changes of the first so many seconds.
---@param seed number
---@param seconds number
---@return chaos.Swap[]
function swaps.make(seed, seconds)
  math.randomseed(seed)
  local list, sum = {}, 0
  for _, entry in ipairs(WEIGHTS) do sum = sum + entry[2] end
  for at = swaps.EVERY, seconds, swaps.EVERY do
    local point, kind = math.random(sum), nil
    for _, entry in ipairs(WEIGHTS) do
      if not kind and point <= entry[2] then kind = entry[1] end
      point = point - entry[2]
    end
    list[#list + 1] = {
      at = at, kind = kind, worker = math.random(REPLICAS), lasts = 1 + 2 * math.random(), choice = math.random(1000),
    }
  end
  return list
end

-- The files of a tree are complete now. That is noted, to look for the first task of their code. Replica 2 sees it by itself when they have
-- settled; what it takes then is code of versions that exist.
local function bring(scene, index)
  local waits = index == WATCHING and swaps.SETTLE or 0
  if index == WATCHING or scene.fleet:hang_up(index) then scene.orders:add(index, scene.releases.trees[index].revision, waits) end
end

local function later(scene, seconds, act) table.insert(scene.later, { due = wait.now() + seconds, act = act }) end

-- All workers of the queue are asked over the database.
local function reload_all(scene)
  local asked = process.spawn {
    name = "reload", argv = { process.luaflow(), "reload", "--database", scene.db.conninfo, "swap" },
  }
  later(scene, 4, function() asked:forget() end)
end

-- The versions that files must still have, and those two between which the alias moves.
local function needed(scene, latest)
  local wanted = { [latest] = true, [latest - 1] = true }
  for slug in scene.db:text "select v.flow_slug from pgflow.flow_versions v where not v.droppable":gmatch "swap_v(%d+)" do
    wanted[tonumber(slug)] = true
  end
  local list = {}
  for version in pairs(wanted) do list[#list + 1] = version end
  table.sort(list)
  return list
end

local kinds = {}

function kinds.code(scene, swap)
  scene.releases:write(swap.worker)
  bring(scene, swap.worker)
  return "for worker " .. swap.worker
end

function kinds.same(scene, swap)
  scene.fleet:hang_up(swap.worker)
  return "files for worker " .. swap.worker
end

function kinds.order(scene)
  reload_all(scene)
  return "by luaflow reload"
end

-- Both trees get these versions, one after the other; meanwhile the one that is behind may end for what it lacks. The watched one is
-- written in two parts.
local function release(scene, swap, versions, active)
  local first = swap.worker
  for index in ipairs(scene.fleet.places) do scene.fleet:begin_stale(index) end
  local function replace(index)
    if index == WATCHING then
      scene.releases:tear(index, versions, active)
      wait.pause(0.3)
    end
    scene.releases:write(index, versions, active)
    bring(scene, index)
  end
  replace(first)
  later(scene, swap.lasts, function()
    replace(3 - first)
    for index in ipairs(scene.fleet.places) do scene.fleet:end_stale(index) end
    if swap.choice % 2 == 0 then reload_all(scene) end
  end)
  return ("swap_v%d for worker %d, then for worker %d"):format(active, first, 3 - first)
end

function kinds.version(scene, swap)
  scene.releases.latest = scene.releases.latest + 1
  return release(scene, swap, needed(scene, scene.releases.latest), scene.releases.latest)
end

-- The alias goes back to the version before the latest, or forth again.
function kinds.back(scene, swap)
  local releases = scene.releases
  local active = releases.trees[1].active == releases.latest and releases.latest - 1 or releases.latest
  return release(scene, swap, needed(scene, releases.latest), active)
end

-- The two trees want another version to be active.
function kinds.disagree(scene, swap)
  local releases = scene.releases
  local other = releases.trees[3 - swap.worker].active
  releases:write(swap.worker, needed(scene, releases.latest), other == releases.latest and releases.latest - 1 or releases.latest)
  if scene.fleet:hang_up(swap.worker) then scene.orders:add(swap.worker, releases.trees[swap.worker].revision, 0) end
  return ("swap_v%d for worker %d"):format(releases.trees[swap.worker].active, swap.worker)
end

-- A tree has only what was before the latest version; its worker starts with that, or loads it.
function kinds.stale(scene, swap)
  local releases, index = scene.releases, swap.worker
  local versions, older = needed(scene, releases.latest), {}
  for _, version in ipairs(versions) do
    if version < releases.latest then older[#older + 1] = version end
  end
  local wanted = releases.trees[index].active
  scene.fleet:begin_stale(index)
  scene.orders:interrupt(index)
  releases:write(index, older, releases.latest - 1)
  if swap.choice % KILLED == 0 and scene.fleet:host(index) then scene:fault("kill_host", swap) else scene.fleet:hang_up(index) end
  later(scene, swap.lasts, function()
    releases:write(index, needed(scene, releases.latest), math.max(wanted, releases.latest - 1))
    scene.fleet:end_stale(index)
    bring(scene, index)
  end)
  return "files for worker " .. index
end

function kinds.spoil(scene, swap)
  scene.orders:interrupt(swap.worker)
  local defect = scene.releases:spoil(swap.worker, swap.choice)
  scene.fleet.spoiled_till = math.huge
  scene.fleet:hang_up(swap.worker)
  later(scene, swap.lasts, function()
    scene.releases:write(swap.worker)
    scene.fleet.spoiled_till = wait.now()
    bring(scene, swap.worker)
  end)
  return ("for worker %d: the file %s"):format(swap.worker, defect)
end

-- All workers end, and come back with a new version in their files.
function kinds.fence(scene, swap)
  local finish = scene:fault("rollout", swap)
  scene.releases.latest = scene.releases.latest + 1
  local latest = scene.releases.latest
  local versions = needed(scene, latest)
  for index in ipairs(scene.fleet.places) do scene.releases:write(index, versions, latest) end
  later(scene, swap.lasts, finish)
  return ("begun, with swap_v%d"):format(latest)
end

function kinds.kill_host(scene, swap)
  scene:fault("kill_host", swap)
  return "worker " .. swap.worker
end

function kinds.kill_executor(scene, swap)
  scene:fault("kill_executor", swap)
  scene.releases:write(swap.worker)
  bring(scene, swap.worker)
  return "of worker " .. swap.worker
end

--- Does it; returns a text for the reader.
---@param scene chaos.Swapping
---@param swap chaos.Swap
---@return string
function swaps.apply(scene, swap)
  return kinds[swap.kind](scene, swap)
end

--- Does what is due of what changes have left for later, or all of it.
---@param scene chaos.Swapping
---@param all boolean
function swaps.finish(scene, all)
  local due, left = {}, {}
  for _, each in ipairs(scene.later) do table.insert((all or wait.now() >= each.due) and due or left, each) end
  scene.later = left
  for _, each in ipairs(due) do
    if each.act(all) == false then later(scene, 0.5, each.act) end
  end
end

return swaps
