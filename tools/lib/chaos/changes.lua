-- The verdict on what operators do meanwhile: runs that are cancelled and retried, files that are reloaded, versions that change.
local code = require "tools.lib.chaos.code"
local executions = require "tools.lib.chaos.executions"

local changes = {}

---@class chaos.Run a row of pgflow.runs
---@field run_id string
---@field key string? 'chaos NUMBER'; a retry has that of the run that it retries
---@field restart_of string? the run that it retries
---@field flow_slug string
---@field status string

--- What cancellations were answered with, against what became of their runs.
---@param runs chaos.Run[]
---@param ended table<integer, { status: string, at: number }> see chaos.Load
---@return { cancelled: table<string, number>, count: integer, wrong: string[] } cancelled: by run, when that was known
function changes.compare(runs, ended)
  local by_id, by_key, result = {}, {}, { cancelled = {}, count = 0, wrong = {} }
  for _, run in ipairs(runs) do
    by_id[run.run_id] = run
    if run.key then by_key[run.key] = run end
  end
  for number, answer in pairs(ended) do
    local newest = by_key["chaos " .. number]
    local run = newest.restart_of and by_id[newest.restart_of] or newest
    if answer.status == "cancelled" then
      result.count, result.cancelled[run.run_id] = result.count + 1, answer.at
    end
    local is_end = answer.status == "cancelled" or answer.status == "completed"
    if not is_end or run.status ~= answer.status then
      result.wrong[#result.wrong + 1] = ("run %d: %s, then %s"):format(number, answer.status, run.status)
    end
  end
  return result
end

--- How often the version changed from one run to the next, in the order in which they were started. A retry has the version
--- of the run that it retries.
---@param runs chaos.Run[]
---@return integer
function changes.switches(runs)
  local by_number, last, count = {}, nil, 0
  for _, run in ipairs(runs) do
    local number = tonumber((tostring(run.key):match "^chaos (%d+)$"))
    if number then by_number[number] = run.flow_slug end
  end
  for number = 1, table.maxn(by_number) do
    local slug = by_number[number] or last
    if last and slug ~= last then count = count + 1 end
    last = slug
  end
  return count
end

-- Rows without a completed task, and completed tasks without exactly one row.
local KEPT = [[
  select count(*)
  from (select t.run_id, t.task_index from ]] .. executions.COMPLETED .. [[ t where t.step_slug = 'keep') t
  full join (select k.run_id, k.task_index, count(*) as rows from public.chaos_kept k group by 1, 2) k
    on k.run_id = t.run_id and k.task_index = t.task_index
  where t.run_id is null or k.rows is distinct from 1]]

--- Judges them.
---@param judge chaos.Judge
---@param evidence chaos.Evidence
---@param compared { cancelled: table<string, number> } see changes.compare
---@param all chaos.Execution[]
function changes.judge(judge, evidence, compared, all)
  local db, slugs = evidence.db, {}
  for _, run in ipairs(evidence.runs) do slugs[run.run_id] = run.flow_slug end
  judge:list("claimed after their run was cancelled", executions.after_cancellation(all, compared.cancelled))
  judge:count("not written exactly once by their transaction", db:number(KEPT), nil, "duplicated")
  judge:count("transactions left open", db:number "select count(*) from pgflow.open_transactions")

  local switches = changes.switches(evidence.runs)
  local activations = db:number "select count(*) from pgflow.alias_activations a where a.flow_alias = 'chaos'"
  judge:count("started under a version that was not active", math.max(0, switches - activations + 1),
    ("%d changes of version from run to run, %d activations"):format(switches, activations))
  local active = db:text "select string_agg(a.active_flow_slug, ' ') from pgflow.flow_aliases a where a.flow_alias = 'chaos'"
  judge:count("alias not as in the files", active == "chaos_v" .. evidence.code.active and 0 or 1, active)
  local wrong = executions.by_wrong_code(all, slugs, evidence.last)
  judge:list("run by another version's handler", wrong.foreign)
  judge:list("run by code that was refused", wrong.refused)
  judge:list("run by old code after the last reload", wrong.old)
  judge:list("idle after a refused reload", executions.idle_after_refusal(all, evidence.history))
  judge:count("definitions of refused files", db:number(code.FOREIGN))
end

return changes
