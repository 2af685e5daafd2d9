-- How long the runs of innocents took, by the database's times.
local code = require "tools.lib.chaos.code"

local latency = {}

-- Seconds that a run may take beyond the longest fault that lasts: a worker is taken for dead after 30, a silent connection is given
-- up after 15 and twice that, and an attempt that was lost has its whole timeout behind it before it is made again.
local RECOVERY = 30 + 45 + code.TIMEOUT

-- A run that was cancelled and retried has waited for the load.
local TIMES = ([[
  select count(*) as runs, coalesce(max(t.took), 0)::float8 as longest,
    coalesce(percentile_cont(0.5) within group (order by t.took), 0)::float8 as p50,
    coalesce(percentile_cont(0.99) within group (order by t.took), 0)::float8 as p99
  from (select extract(epoch from r.completed_at - r.started_at) as took from pgflow.runs r
    where r.status = 'completed' and r.flow_slug <> '%s' and r.idempotency_key <> all(string_to_array(:'retried', ','))) t]]):format(
  code.CULPRIT)

--- Tells it; bad where one took longer than the longest fault and the recovery from it.
---@param judge chaos.Judge
---@param db spec.Database
---@param ended table<integer, any> the numbers of runs that are left out
---@param spell number seconds of the longest fault
function latency.judge(judge, db, ended, spell)
  local keys = {}
  for number in pairs(ended) do keys[#keys + 1] = "chaos " .. number end
  local times = db:row(TIMES, { retried = table.concat(keys, ",") })
  local bound = spell + RECOVERY
  judge:count("innocents took longer than the longest fault and its recovery", times.longest > bound and 1 or 0,
    ("%d runs: p50 %.1f s, p99 %.1f s, longest %.1f s of %.0f s"):format(times.runs, times.p50, times.p99, times.longest, bound))
end

return latency
