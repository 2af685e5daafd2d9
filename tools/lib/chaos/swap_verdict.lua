-- What is right and wrong after --swaps: one line for each question, and whether anything is wrong.
local changes = require "tools.lib.chaos.changes"
local complaints = require "tools.lib.chaos.complaints"
local executions = require "tools.lib.chaos.executions"
local judge = require "tools.lib.chaos.judge"
local orders = require "tools.lib.chaos.orders"
local releases = require "tools.lib.chaos.releases"

local swap_verdict = {}

local function judge_runs(self, evidence)
  local db, load = evidence.db, evidence.load
  local runs = db:row [[
    select count(*) as all, count(*) filter (where r.status = 'completed') as completed,
      count(*) filter (where r.status = 'completed' and r.completed_at - r.started_at > interval '10 s') as long
    from pgflow.runs r where r.flow_slug <> 'probe']]
  self.say(("     runs started: %d, completed: %d, %d of them in more than 10 s"):format(load.started, runs.completed, runs.long))
  self:count("lost", math.max(load.started, runs.all) - runs.completed,
    db:text [[
      select string_agg(distinct r.status || ' ' || coalesce(r.error_message, ''), '; ') from pgflow.runs r where r.status <> 'completed']],
    "lost")
  local probes = db:row [[
    select count(*) as all, count(*) filter (where r.status <> 'completed') as lost from pgflow.runs r where r.flow_slug = 'probe']]
  self:count("lost of the short ones", probes.lost, ("of %d"):format(probes.all), "lost")
  self:count("stuck", db:number "select count(*) from pgflow.step_tasks t where t.status in ('queued', 'started')", nil, "stuck")
  self:count("wrong outputs", db:number(
    "select count(*) from pgflow.runs r where r.status = 'completed' and r.output is distinct from " .. releases.EXPECTED))
end

local function judge_executions(self, evidence, all)
  local ran = executions.judge(evidence.db, all, evidence.history, releases.TIMEOUT)
  self.say(("     handlers ran: %d times; %d ran again"):format(#all, ran.again))
  self:list("completed without having run", ran.never)
  self:list("duplicated: claimed again after completion", ran.late, "duplicated")
  self:list("duplicated: run again without a fault that explains it", ran.unexplained, "duplicated")
  local charged, cost = 0, evidence.history:cost(evidence.concurrency)
  for _, attempts in pairs(ran.spent) do charged = charged + attempts end
  self:count("attempts charged beyond what faults may cost", math.max(0, charged - cost), ("%d charged, %d may be"):format(charged, cost))
  self:texts("attempts failed for reasons that are none of the faults'", complaints.of_workers(evidence.logs))
end

local function judge_versions(self, evidence, all, runs)
  local slugs, versions = {}, {}
  for _, run in ipairs(runs) do
    slugs[run.run_id], versions[run.flow_slug] = run.flow_slug, true
  end
  local count = 0
  for _ in pairs(versions) do count = count + 1 end
  local wrong = executions.by_wrong_code(all, slugs, { at = math.huge, revision = 0 })
  self.say(("     versions that had runs: %d"):format(count))
  self:list("versions mixed within a run", wrong.foreign)
  self:list("run by code that was refused or half written", wrong.refused)
  self:list("run by older code than the worker had run before", orders.by_older_code(all))
  local switches = changes.switches(runs)
  local activations = evidence.db:rows [[
    select a.from_flow_slug as origin, a.to_flow_slug as target, extract(epoch from a.activated_at)::float8 as at
    from pgflow.alias_activations a where a.flow_alias = 'swap' order by a.activation_id]]
  self:count("started under a version that was not active", math.max(0, switches - #activations + 1),
    ("%d changes of version from run to run, %d activations"):format(switches, #activations))
  self:list("alias moved by files that must not move it", releases.unfounded(evidence.releases.list, activations))
  local active = evidence.db:text "select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = 'swap'"
  self:count("alias not as in the files", active == "swap_v" .. evidence.releases.trees[1].active and 0 or 1, active)
end

local function judge_times(self, evidence, all)
  local deployments, spans = orders.deployments(evidence.logs)
  local took, left_out, late = orders.first_tasks(deployments, all)
  local p99 = orders.percentile(took, 0.99)
  self:count(("seconds from a deployment to its first task: p99 above %d"):format(orders.BOUND), p99 < orders.BOUND and 0 or 1,
    ("%d deployments: p50 %.2f s, p99 %.2f s, longest %.2f s; %d were over before"):format(
      #took, orders.percentile(took, 0.5), p99, orders.percentile(took, 1), left_out))
  for _, each in ipairs(late) do self.say("     late: " .. each) end
  local served, never = evidence.orders:served(all, spans)
  self:list("orders that no task followed", never)
  self.say(("     from complete files to the first task of their code: %d times, p50 %.2f s, p99 %.2f s, longest %.2f s"):format(
    #served, orders.percentile(served, 0.5), orders.percentile(served, 0.99), orders.percentile(served, 1)))
end

local function judge_old_executors(self, old)
  self:list("old executors more than tasks in flight", old.wrong)
  self.say(("     looked %d times; at most %d executors of %d old generations in one worker"):format(
    old.looks, old.most.executors, old.most.generations))
end

--- Tells the verdict through say(line); returns true if nothing is wrong.
---@param evidence table see swapping.run
---@param say fun(line: string)
---@return boolean
function swap_verdict.tell(evidence, say)
  local self, all = judge.new(say), executions.read(evidence.executions)
  judge_runs(self, evidence)
  judge_executions(self, evidence, all)
  judge_versions(self, evidence, all, evidence.db:rows "select r.run_id, r.idempotency_key as key, r.flow_slug from pgflow.runs r")
  judge_times(self, evidence, all)
  judge_old_executors(self, evidence.old_executors)
  self:aftermath(evidence)
  return self:sum()
end

return swap_verdict
