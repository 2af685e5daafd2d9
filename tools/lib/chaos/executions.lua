-- Every execution of a handler of a built-in flow, as the handlers noted it, and what is wrong with that.
local files = require "spec.support.files"

local executions = {}

---@class chaos.Execution
---@field key string "run step index"
---@field attempt integer
---@field worker integer
---@field fails boolean the handler is made to fail this time
---@field claimed number time of day
---@field slug string the version whose handler it was
---@field revision integer of its code

--- All executions, in the order of their claims.
---@param path string the file that the handlers wrote
---@return chaos.Execution[]
function executions.read(path)
  local list = {}
  for _, line in ipairs(files.lines(path)) do
    local key, attempt, worker, fails, claimed, slug, revision =
      line:match "^(%S+ %S+ %d+) (%d+) (%d+) (%d) ([%d.]+) (%S+) (%-?%d+)$"
    assert(key, "a torn line in the file of executions")
    list[#list + 1] = {
      key = key, attempt = tonumber(attempt), worker = tonumber(worker), fails = fails == "1", claimed = tonumber(claimed), slug = slug,
      revision = tonumber(revision),
    }
  end
  table.sort(list, function(a, b) return a.claimed < b.claimed end)
  return list
end

-- By task.
local function group(all)
  local tasks = {}
  for _, execution in ipairs(all) do
    tasks[execution.key] = tasks[execution.key] or {}
    table.insert(tasks[execution.key], execution)
  end
  return tasks
end

--- The completed tasks whose handler must have run, as SQL: a retry takes over what the run that it retries had completed.
executions.COMPLETED = [[(
  select t.* from pgflow.step_tasks t join pgflow.runs r using (run_id)
  where t.status = 'completed' and not exists (
    select from pgflow.step_tasks k
    where k.run_id = r.restart_of_run_id and k.step_slug = t.step_slug and k.task_index = t.task_index and k.status = 'completed'
  ))]]

local SAME = 0.05 -- seconds: the time of one claim, as the clock of the day tells it twice

-- Until when a fault may have made it run again. Since its transaction's connection was lost that may be under the same claim.
local function again_till(first, second, timeout)
  local is_same = first.attempt == second.attempt and second.claimed - first.claimed < SAME
  return is_same and first.claimed + timeout or second.claimed
end

-- An execution is followed by another where its handler failed, or where a fault lost it.
local function follow(result, key, list, history, timeout)
  for i = 1, #list - 1 do
    if list[i].fails then
      result.failed = result.failed + 1
    else
      result.again = result.again + 1
      if not history:explains(list[i].worker, list[i].claimed, again_till(list[i], list[i + 1], timeout)) then
        result.unexplained[#result.unexplained + 1] = ("%s attempt %d, then %d"):format(key, list[i].attempt, list[i + 1].attempt)
      end
    end
  end
end

local CLOCK = 0.5 -- seconds by which a claim and a completion may differ although they came in order
-- A cancellation has the time at which its transaction began, which then waits for a claim that is being committed; and that claim's tasks
-- reach their handlers only once its answer has come.
local CANCELLATION = 5

--- Judges them against the tasks that the database holds as completed.
---@param db spec.Database
---@param all chaos.Execution[]
---@param history chaos.History
---@param timeout number seconds of an attempt
---@return { failed: integer, again: integer, never: string[], late: string[], unexplained: string[],
---   spent: table<string, integer> } spent: attempts by task beyond those that recovery and the handler's failure explain
function executions.judge(db, all, history, timeout)
  local tasks = group(all)
  local result = { failed = 0, again = 0, never = {}, late = {}, unexplained = {}, spent = {} }
  for key, list in pairs(tasks) do follow(result, key, list, history, timeout) end
  local rows = db:text([[
    select t.run_id || ' ' || t.step_slug || ' ' || t.task_index, extract(epoch from t.completed_at),
      t.attempts_count - t.requeued_count - t.requeued_dead_count
    from ]] .. executions.COMPLETED .. " t")
  for key, completed, spent in rows:gmatch "([^|\n]+)|([%d.]+)|(%-?%d+)" do
    local list = tasks[key]
    if not list then
      result.never[#result.never + 1] = key
    else
      if list[#list].claimed > tonumber(completed) + CLOCK then result.late[#result.late + 1] = key end
      local allowed = list[1].fails and 2 or 1
      if tonumber(spent) > allowed then result.spent[key] = tonumber(spent) - allowed end
    end
  end
  return result
end

--- The executions of runs that were cancelled before they were claimed.
---@param all chaos.Execution[]
---@param cancelled table<string, number> by run: when that was known
---@return string[] keys
function executions.after_cancellation(all, cancelled)
  local late = {}
  for _, execution in ipairs(all) do
    local at = cancelled[execution.key:match "^%S+"]
    if at and execution.claimed > at + CANCELLATION then late[#late + 1] = execution.key end
  end
  return late
end

--- The executions by code that should not have run: of files that were refused, of another version than the run's, or of old files
--- although all workers have the last ones.
---@param all chaos.Execution[]
---@param slugs table<string, string> by run: its version
---@param last { at: number, revision: integer } since when all workers have which revision
---@return { refused: string[], foreign: string[], old: string[] } keys
function executions.by_wrong_code(all, slugs, last)
  local wrong = { refused = {}, foreign = {}, old = {} }
  for _, execution in ipairs(all) do
    local key, list = execution.key, nil
    if execution.revision < 0 then
      list = wrong.refused
    elseif execution.slug ~= slugs[key:match "^%S+"] then
      list = wrong.foreign
    elseif execution.claimed > last.at + CLOCK and execution.revision ~= last.revision then
      list = wrong.old
    end
    if list then list[#list + 1] = key end
  end
  return wrong
end

local SERVES = 3 -- seconds after a refused reload within which a worker must have claimed something

--- The refused reloads, with no other fault near, after which their worker claimed nothing.
---@param all chaos.Execution[]
---@param history chaos.History
---@return string[]
function executions.idle_after_refusal(all, history)
  local idle = {}
  for _, entry in ipairs(history:alone("bad_reload", SERVES)) do
    local claims = 0
    for _, execution in ipairs(all) do
      local is_between = execution.claimed > entry.from + 1 and execution.claimed < entry.till + SERVES
      if execution.worker == entry.worker and is_between then claims = claims + 1 end
    end
    if claims == 0 then idle[#idle + 1] = ("worker %d at %.1f"):format(entry.worker, entry.from) end
  end
  return idle
end

return executions
