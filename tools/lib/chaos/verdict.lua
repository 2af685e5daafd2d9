-- What is right and wrong after the faults: one line for each question, and whether anything is wrong.
local changes = require "tools.lib.chaos.changes"
local code = require "tools.lib.chaos.code"
local complaints = require "tools.lib.chaos.complaints"
local culprits = require "tools.lib.chaos.culprits"
local executions = require "tools.lib.chaos.executions"
local judge = require "tools.lib.chaos.judge"
local latency = require "tools.lib.chaos.latency"

local verdict = {}

---@class chaos.Evidence
---@field db spec.Database
---@field load chaos.Load
---@field culprits chaos.Culprits
---@field runs chaos.Run[]
---@field code chaos.Code? of the built-in flow
---@field last { at: number, revision: integer }? since when all workers have which revision of it
---@field executions string the file that its handlers wrote
---@field logs string the folder of the workers' and the server's logs
---@field history chaos.History
---@field concurrency integer of a worker
---@field surprises string[] what workers did that they should not
---@field recovered_in number? seconds; nil where some runs have not ended
---@field connections integer[] at the start, at the end
---@field memory number[][] MB of each host, at the start and at the end

-- The runs of innocents. Returns what changes.compare does.
local function judge_runs(self, evidence)
  local db, load = evidence.db, evidence.load
  local runs = db:row([[
    select count(*) as all, count(*) filter (where r.status = 'completed') as completed,
      coalesce(max(extract(epoch from r.completed_at - r.started_at)), 0)::float8 as longest,
      (select coalesce(max(extract(epoch from g.gap)), 0)::float8
       from (select p.completed_at - lag(p.completed_at) over (order by p.completed_at) as gap from pgflow.runs p) g) as gap
    from pgflow.runs r where r.flow_slug <> :'culprit']], { culprit = code.CULPRIT })
  self.say(("     runs started: %d, completed: %d; the longest took %.1f s; at most %.1f s went by without an end"):format(
    load.started, runs.completed, runs.longest, runs.gap))
  local compared = changes.compare(evidence.runs, load.ended)
  self.say(("     runs cancelled: %d; retried: %d"):format(compared.count, load.retried))
  local ends = db:text([[
    select string_agg(distinct r.status || ' ' || coalesce(r.error_message, ''), '; ')
    from pgflow.runs r where r.status not in ('completed', 'cancelled') and r.flow_slug <> :'culprit']], { culprit = code.CULPRIT })
  self:count("lost", math.max(load.started + load.retried, runs.all) - compared.count - runs.completed, ends, "lost")
  self:list("cancelled runs with another end", compared.wrong)
  latency.judge(self, db, load.ended, evidence.history:longest())
  return compared
end

local function judge_culprits(self, evidence)
  self.say(("     culprits: %d"):format(#evidence.culprits.kinds))
  self:list("culprits that did not fail by name", culprits.unnamed(evidence.runs, evidence.culprits.kinds,
    culprits.killed(evidence.logs, evidence.history)))
  self:list("innocents charged with a culprit's death", culprits.framed(evidence.logs, evidence.history))
end

local function judge_executions(self, evidence, all)
  self:count("wrong outputs", evidence.db:number(
    "select count(*) from pgflow.runs r where r.status = 'completed' and r.output is distinct from " .. code.EXPECTED))
  local ran = executions.judge(evidence.db, all, evidence.history, code.TIMEOUT)
  self.say(("     handlers ran: %d times; %d failed as they are made to, %d ran again"):format(#all, ran.failed, ran.again))
  self:list("completed without having run", ran.never)
  self:list("duplicated: claimed again after completion", ran.late, "duplicated")
  self:list("duplicated: run again without a fault that explains it", ran.unexplained, "duplicated")
  local charged, cost = 0, evidence.history:cost(evidence.concurrency)
  for _, attempts in pairs(ran.spent) do charged = charged + attempts end
  self:count("attempts charged beyond what faults may cost", math.max(0, charged - cost),
    ("%d charged, %d may be"):format(charged, cost))
  self:texts("attempts failed for reasons that are none of the faults'", complaints.of_workers(evidence.logs))
end

--- Tells the verdict through say(line); returns true if nothing is wrong.
---@param evidence chaos.Evidence
---@param say fun(line: string)
---@return boolean
function verdict.tell(evidence, say)
  local db = evidence.db
  local self = judge.new(say)
  local compared = judge_runs(self, evidence)
  self:count("stuck", db:number "select count(*) from pgflow.step_tasks t where t.status in ('queued', 'started')", nil, "stuck")
  if evidence.code then
    culprits.confess(evidence.executions, evidence.history)
    judge_culprits(self, evidence)
    local all = executions.read(evidence.executions)
    judge_executions(self, evidence, all)
    changes.judge(self, evidence, compared, all)
  end
  self:aftermath(evidence)
  return self:sum()
end

return verdict
