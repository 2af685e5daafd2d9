-- How soon new code serves: from a deployment, and from the moment at which it was ordered, to the first task that it runs.
local cjson = require "cjson"
local files = require "spec.support.files"
local lfs = require "lfs"
local system = require "system"

local orders = {}

local CLOCK = 0.02 -- seconds by which the times of a claim and of a log line may differ although they came in order

---@class chaos.Order
---@field worker integer
---@field revision integer
---@field at number time of day from which the files can be taken
---@field till number when something else came over the worker or its files

---@class chaos.Orders
---@field list chaos.Order[]
local methods = {}
methods.__index = methods

---@return chaos.Orders
function orders.new() return setmetatable({ list = {}, open = {} }, methods) end

--- The worker, or every worker, gets no further with what it was ordered to take.
---@param worker? integer
function methods:interrupt(worker)
  for index, order in pairs(self.open) do
    if not worker or index == worker then
      order.till = system.gettime()
      self.open[index] = nil
    end
  end
end

--- A worker can take that revision in so many seconds.
---@param worker integer
---@param revision integer
---@param seconds number
function methods:add(worker, revision, seconds)
  self:interrupt(worker)
  local order = { worker = worker, revision = revision, at = system.gettime() + seconds, till = math.huge }
  self.open[worker], self.list[#self.list + 1] = order, order
end

local function time_of(text)
  local date, hour, minute, second = text:match "^(%d+-%d+-%d+)T(%d+):(%d+):([%d.]+)Z$"
  local year, month, day = date:match "(%d+)-(%d+)-(%d+)"
  local noon = os.time { year = year, month = month, day = day, hour = 12 }
  local utc = os.date("!*t", noon)
  return noon + (hour - utc.hour) * 3600 + (minute - utc.min) * 60 + tonumber(second)
end

local DEPLOYED = { running = true, reloaded = true } -- a worker that waits behind the fence reloads before it runs
local CLAIMS_NO_MORE = { draining = true, unknown_steps = true, stopped = true }

-- The deployments of one process, in order, and the time until which it claimed; the last one's without an end.
local function read_log(path, worker)
  local list, last, ended, runs = {}, nil, nil, false
  for _, line in ipairs(files.lines(path)) do
    local ok, entry = pcall(cjson.decode, line)
    if ok and type(entry) == "table" and entry.time then
      last = time_of(entry.time)
      runs = runs or entry.verb == "running"
      if runs and not ended and DEPLOYED[entry.verb] then list[#list + 1] = { worker = worker, at = last } end
      ended = ended or CLAIMS_NO_MORE[entry.verb] and last
    end
  end
  return list, ended or last
end

--- The deployments that workers have logged, in order, each with the time until which its worker claimed by it; and the times in which
--- workers claimed.
---@param folder string with their logs
---@return { worker: integer, at: number, till: number }[]
---@return { worker: integer, from: number, till: number }[]
function orders.deployments(folder)
  local list, spans = {}, {}
  for name in lfs.dir(folder) do
    local worker = tonumber(name:match "^worker%-(%d+)%-")
    local own, ended = {}, nil
    if worker then own, ended = read_log(folder .. "/" .. name, worker) end
    for i, each in ipairs(own) do
      each.till = own[i + 1] and own[i + 1].at or ended
      list[#list + 1] = each
    end
    if own[1] then spans[#spans + 1] = { worker = worker, from = own[1].at, till = ended } end
  end
  table.sort(list, function(one, other) return one.at < other.at end)
  return list, spans
end

local BOUND = 2 -- seconds from a deployment to its first task

-- The first execution of a worker from a time on for which a condition holds; executions are in the order of their claims.
local function first(all, worker, from, condition)
  for _, execution in ipairs(all) do
    if execution.worker == worker and execution.claimed >= from and (not condition or condition(execution)) then return execution end
  end
end

--- The seconds from each deployment to its first task. One whose worker stopped claiming by it before, and within the bound, is left out.
---@param deployments { worker: integer, at: number, till: number }[]
---@param all chaos.Execution[]
---@return number[] sorted
---@return integer left_out
---@return string[] late those above the bound
function orders.first_tasks(deployments, all)
  local took, left_out, late = {}, 0, {}
  for _, each in ipairs(deployments) do
    local execution = first(all, each.worker, each.at - CLOCK)
    local till = math.min(execution and execution.claimed or math.huge, each.till)
    if execution and till == execution.claimed or till - each.at > BOUND then
      took[#took + 1] = math.max(0, till - each.at)
      if till - each.at > BOUND then late[#late + 1] = ("worker %d at %.3f: %.2f s"):format(each.worker, each.at, till - each.at) end
    else
      left_out = left_out + 1
    end
  end
  table.sort(took)
  return took, left_out, late
end

local PATIENCE = 10 -- seconds until the code that was ordered must have had a task

-- Whether its worker claimed all the time from an order until then.
local function claimed_till(till, order, spans)
  for _, span in ipairs(spans) do
    if span.worker == order.worker and span.from <= order.at and span.till >= till then return true end
  end
  return false
end

--- The seconds from each order to the first task of its code, sorted; and the orders that no task followed although nothing kept their
--- worker from it. One that something came over before its first task counts for neither.
---@param all chaos.Execution[]
---@param spans { worker: integer, from: number, till: number }[] see orders.deployments
---@return number[] took
---@return string[] never
function methods:served(all, spans)
  local took, never = {}, {}
  for _, order in ipairs(self.list) do
    local execution = first(all, order.worker, -math.huge, function(each) return each.revision >= order.revision end)
    local is_its = execution and execution.revision == order.revision
    local must_by = order.at + PATIENCE
    if is_its and claimed_till(execution.claimed, order, spans) then
      took[#took + 1] = math.max(0, execution.claimed - order.at)
    elseif not is_its and order.till > must_by and claimed_till(must_by, order, spans) then
      never[#never + 1] = ("revision %d of worker %d"):format(order.revision, order.worker)
    end
  end
  table.sort(took)
  return took, never
end

--- The executions by older code of a worker than it had run before.
---@param all chaos.Execution[]
---@return string[] keys
function orders.by_older_code(all)
  local newest, older = {}, {}
  for _, execution in ipairs(all) do
    local before = newest[execution.worker]
    if execution.revision > 0 and (not before or execution.revision > before.revision) then
      newest[execution.worker] = execution
    elseif before and execution.revision < before.revision and execution.claimed > before.claimed + CLOCK then
      older[#older + 1] = execution.key
    end
  end
  return older
end

--- The value below which that part of a sorted list lies; 0 of an empty one.
---@param sorted number[]
---@param part number
---@return number
function orders.percentile(sorted, part) return sorted[math.max(1, math.ceil(#sorted * part))] or 0 end

orders.BOUND = BOUND
return orders
