-- What each kind of fault does, and how it is undone where it lasts. A fault whose victim is not there does nothing.
local files = require "spec.support.files"
local process = require "spec.support.process"
local spells = require "tools.lib.chaos.spells"
local wait = require "spec.support.wait"

local faults = {}

local PATIENCE = 20 -- seconds, for an answer of the database

---@class chaos.Scene
---@field fleet chaos.Fleet
---@field server spec.Server
---@field db spec.Database
---@field code chaos.Code? of the built-in flow
---@field culprits chaos.Culprits
---@field logs string folder

local function pause(pid, name)
  if not pid or not pcall(process.send, pid, process.SIGSTOP) then return name .. ": nobody there" end
  return ("%s %d"):format(name, pid), function() pcall(process.send, pid, process.SIGCONT) end
end

--- Adds what the server has said, which its next start forgets, to the logs.
---@param scene chaos.Scene
function faults.keep_server_log(scene)
  local file = assert(io.open(scene.logs .. "/postgres.log", "a"))
  file:write(files.read(scene.server.folder .. "/data/postgres.log"))
  file:close()
end

local function one_of(list, choice) return list[(choice - 1) % math.max(#list, 1) + 1] end

local function restart(scene, mode)
  spells.allow_writes(scene)
  scene.server:stop(mode)
  faults.keep_server_log(scene)
  scene.server:start()
  return "postgres is up again"
end

local function tell(scene, fault, what)
  scene.fleet:proxy(fault.worker):tell(fault.connection, what)
  return ("%s connections of worker %d"):format(fault.connection, fault.worker)
end

-- Each returns a text for the reader and, where the fault lasts, the function that ends it.
local kinds = setmetatable({}, { __index = spells })

function kinds.kill_host(scene, fault)
  if not scene.fleet:host(fault.worker) then return "nobody there" end
  scene.fleet:kill(fault.worker)
  return "worker " .. fault.worker
end

function kinds.stop_host(scene, fault)
  local host = scene.fleet:host(fault.worker)
  return pause(host and host.pid, "host")
end

function kinds.kill_executor(scene, fault)
  local pid = one_of(scene.fleet:executors(fault.worker), fault.choice)
  if not pid or not pcall(process.send, pid, process.SIGKILL) then return "nobody there" end
  return ("executor %d of worker %d"):format(pid, fault.worker)
end

local LOOKS, PAUSE = 50, 0.02 -- seconds from one look to the next

-- All executors of a worker, each while no handler runs in it: it waits, and was not woken between two looks.
function kinds.kill_sleepers(scene, fault)
  local killed = 0
  for _, pid in ipairs(scene.fleet:executors(fault.worker)) do
    local function state() return files.read(("/proc/%d/stat"):format(pid)):match "%) (%a)" end
    for _ = 1, LOOKS do
      if state() == "S" then break end
      wait.pause(PAUSE)
    end
    if pcall(process.send, pid, process.SIGKILL) then killed = killed + 1 end
  end
  return ("%d executors of worker %d"):format(killed, fault.worker), nil, killed
end

local function order(scene, kind)
  if not scene.code then return "not of this flow" end
  scene.culprits:order(kind)
  return ("a task that %s"):format(kind == "oversized" and "has too large an input" or "ends its executor by " .. kind)
end

-- A task that ends its executor while it is suspended.
function kinds.culprit(scene, fault) return order(scene, fault.choice % 2 == 0 and "kill" or "alarm") end

function kinds.oversized(scene) return order(scene, "oversized") end

function kinds.stop_executor(scene, fault)
  return pause(one_of(scene.fleet:executors(fault.worker), fault.choice), "executor")
end

function kinds.restart_immediate(scene) return restart(scene, "immediate") end

function kinds.restart_fast(scene) return restart(scene, "fast") end

function kinds.terminate(scene, fault)
  local answer = scene.db:try([[
    select count(pg_terminate_backend(s.pid)) from (
      select a.pid from pg_stat_activity a where a.application_name like 'luaflow %' order by a.pid limit :most) s]],
    { most = fault.choice % 4 + 1 })
  return answer.out:gsub("%s", "") .. " backends"
end

function kinds.cut(scene, fault) return tell(scene, fault, "cut") end

function kinds.silence(scene, fault) return tell(scene, fault, "silent") end

function kinds.swallow(scene, fault) return tell(scene, fault, "swallow") end

-- The machine of a worker is gone while it says something: nothing ends its connections until the server's keepalives do.
function kinds.vanish(scene, fault)
  if not scene.fleet:host(fault.worker) then return "nobody there" end
  local proxy = scene.fleet:proxy(fault.worker)
  proxy:tell("work", "halve")
  wait.pause(0.5)
  proxy:tell("all", "silent")
  scene.fleet:kill(fault.worker)
  return "worker " .. fault.worker, function() proxy:tell("all", "heal") end
end

function kinds.refuse(scene, fault)
  local proxy = scene.fleet:proxy(fault.worker)
  proxy:tell("all", "refuse")
  proxy:tell("all", "cut")
  return "connections of worker " .. fault.worker, function() proxy:tell("all", "accept") end
end

function kinds.hold_snapshot(scene, fault)
  local session = process.spawn {
    name = "snapshot", argv = { "psql", "-X", "-q", "-d", scene.db.conninfo, "-c", "begin isolation level repeatable read",
      "-c", "select count(*) from pgflow.runs", "-c", ("select pg_sleep(%d)"):format(fault.lasts) },
  }
  return "held open", function() session:forget() end
end

local function hang_up_all(scene)
  for worker in ipairs(scene.fleet.places) do scene.fleet:hang_up(worker) end
end

-- Other code of the same versions, for one worker.
function kinds.reload(scene, fault)
  if scene.code then scene.code:save() end
  return scene.fleet:hang_up(fault.worker) and "worker " .. fault.worker or "nobody there"
end

-- A file that must be refused. A worker that starts meanwhile cannot.
function kinds.bad_reload(scene, fault)
  if not scene.code then return "not of this flow" end
  local defect = scene.code:spoil(fault.choice)
  scene.fleet.spoiled_till = math.huge
  scene.fleet:hang_up(fault.worker)
  return ("for worker %d: the file %s"):format(fault.worker, defect), function()
    scene.code:save()
    scene.fleet.spoiled_till = wait.now()
  end
end

-- The other version becomes the active one.
function kinds.version(scene)
  if not scene.code then return "not of this flow" end
  scene.code:save(3 - scene.code.active)
  hang_up_all(scene)
  return "chaos_v" .. scene.code.active
end

-- What psql answers; nothing where it does not.
local function ask(scene, sql)
  local asked, answer = pcall(scene.db.try, scene.db, sql, nil, PATIENCE)
  return asked and answer.out or ""
end

-- All workers end and come back fenced, until it is finished: by force where they do not end in time.
function kinds.rollout(scene, fault)
  scene.fleet.deprecated_at = wait.now()
  ask(scene, "select count(*) from pgflow.begin_rollout(array(select f.function_name from pgflow.worker_functions f))")
  return "begun", function(is_last)
    local force = is_last or fault.choice % 2 == 0
    local open, live = ask(scene, "select count(*), sum(s.live_workers) from pgflow.rollout_status() s"):match "(%d+)|(%d*)"
    if open and open ~= "0" and (force or live == "0") then
      ask(scene, ("select count(*) from pgflow.finish_rollout(%s)"):format(force))
    end
    return open == "0"
  end
end

--- Does it. Returns what it did to whom, what ends it, nil where nothing has to, and how many executors it killed, nil for the usual number
--- of its kind. What ends it returns false where it is to be called again.
---@param scene chaos.Scene
---@param fault chaos.Fault
---@return string, (fun(is_last: boolean): boolean?)?, integer?
function faults.apply(scene, fault)
  return kinds[fault.kind](scene, fault)
end

return faults
