-- Looks at the workers over and over: the executors of old generations must never be more than the tasks that these hold.
local fleet = require "tools.lib.chaos.fleet"
local wait = require "spec.support.wait"

local old_executors = {}

local EVERY = 1 -- seconds
-- What a worker has besides: those that serve, and those of a generation that is being loaded.
local CURRENT = 2 * fleet.EXECUTORS

-- The tasks that older code or executors of their own hold, and what the worker itself reports.
local LOOK = [[
  select w.worker_id,
    (select count(*) from pgflow.step_tasks t
     where t.status = 'started' and t.last_worker_id = w.worker_id and (t.started_at < w.last_reload_at or t.suspicion >= 4)) as tasks,
    coalesce(sum(o.executors), 0)::int as executors, count(o.generation) as generations, coalesce(max(o.executors - o.tasks), 0) as excess
  from pgflow.workers w
  left join pgflow.old_generations o on o.worker_id = w.worker_id
  where w.stopped_at is null
  group by w.worker_id]]

---@class chaos.OldExecutors
---@field looks integer
---@field most { executors: integer, generations: integer } reported at once by one worker
---@field wrong string[] what must not be
local methods = {}
methods.__index = methods

---@return chaos.OldExecutors
function old_executors.new()
  return setmetatable({ looks = 0, due = wait.now(), most = { executors = 0, generations = 0 }, wrong = {}, before = {} }, methods)
end

-- The rows of the workers, by id.
local function ask(scene)
  local rows = {}
  for _, row in ipairs(scene.db:rows(LOOK)) do rows[row.worker_id] = row end
  return rows
end

--- Looks, if it is time. What the processes show counts if it is so twice in a row, since an executor takes a moment to end.
---@param scene chaos.Swapping
function methods:look(scene)
  if wait.now() < self.due then return end
  self.due = wait.now() + EVERY
  local counts = {}
  for index in ipairs(scene.fleet.places) do counts[index] = #scene.fleet:executors(index) end
  local rows = ask(scene)
  self.looks = self.looks + 1
  for index in ipairs(scene.fleet.places) do
    local row = rows[scene.fleet:worker_id(index)]
    local excess = row and counts[index] - CURRENT - row.tasks or 0
    if row then
      self.most.executors = math.max(self.most.executors, row.executors)
      self.most.generations = math.max(self.most.generations, row.generations)
    end
    if row and row.excess > 0 then
      self.wrong[#self.wrong + 1] = ("worker %d reports %d more executors than tasks"):format(index, row.excess)
    end
    if excess > 0 and (self.before[index] or 0) > 0 then
      self.wrong[#self.wrong + 1] = ("worker %d has %d executors, and older code %d tasks"):format(index, counts[index], row.tasks)
    end
    self.before[index] = excess
  end
end

return old_executors
