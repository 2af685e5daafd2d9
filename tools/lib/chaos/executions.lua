-- Every execution of a handler of the built-in flow, as the handlers noted it, and what is wrong with that.
local files = require "spec.support.files"

local executions = {}

---@class chaos.Execution
---@field attempt integer
---@field worker integer
---@field fails boolean the handler is made to fail this time
---@field claimed number time of day

-- The executions of each task ("run step index"), in their order.
local function read(path)
  local tasks, total = {}, 0
  for _, line in ipairs(files.lines(path)) do
    local key, attempt, worker, fails, claimed = line:match "^(%S+ %S+ %d+) (%d+) (%d+) (%d) ([%d.]+)$"
    assert(key, "a torn line in the file of executions")
    tasks[key] = tasks[key] or {}
    table.insert(tasks[key], {
      attempt = tonumber(attempt), worker = tonumber(worker), fails = fails == "1", claimed = tonumber(claimed),
    })
    total = total + 1
  end
  for _, list in pairs(tasks) do
    table.sort(list, function(a, b) return a.claimed < b.claimed end)
  end
  return tasks, total
end

-- An execution is followed by another where its handler failed, or where a fault lost it.
local function follow(result, key, list, history)
  for i = 1, #list - 1 do
    if list[i].fails then
      result.failed = result.failed + 1
    else
      result.again = result.again + 1
      if not history:explains(list[i].worker, list[i].claimed, list[i + 1].claimed) then
        result.unexplained[#result.unexplained + 1] = ("%s attempt %d, then %d"):format(key, list[i].attempt, list[i + 1].attempt)
      end
    end
  end
end

local CLOCK = 0.5 -- seconds by which a claim and a completion may differ although they came in order

--- Judges them against the tasks that the database holds as completed.
---@param db spec.Database
---@param path string the file that the handlers wrote
---@param history chaos.History
---@return { total: integer, failed: integer, again: integer, never: string[], late: string[], unexplained: string[],
---   spent: table<string, integer> } spent: attempts by task beyond those that recovery and the handler's failure explain
function executions.judge(db, path, history)
  local tasks, total = read(path)
  local result = { total = total, failed = 0, again = 0, never = {}, late = {}, unexplained = {}, spent = {} }
  for key, list in pairs(tasks) do follow(result, key, list, history) end
  local rows = db:text [[
    select t.run_id || ' ' || t.step_slug || ' ' || t.task_index, extract(epoch from t.completed_at),
      t.attempts_count - t.requeued_count - t.requeued_dead_count
    from pgflow.step_tasks t where t.status = 'completed']]
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

return executions
