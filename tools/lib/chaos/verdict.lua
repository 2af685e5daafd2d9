-- What is right and wrong after the faults: one line for each question, and whether anything is wrong.
local changes = require "tools.lib.chaos.changes"
local code = require "tools.lib.chaos.code"
local complaints = require "tools.lib.chaos.complaints"
local culprits = require "tools.lib.chaos.culprits"
local executions = require "tools.lib.chaos.executions"
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

---@class chaos.Judge
---@field say fun(line: string)
---@field headlines table<string, integer> the answers that the last line tells
---@field others integer how many other answers were bad
local judge = {}
judge.__index = judge

-- A line for one question whose answer should be 0. With a headline the answer is added to that.
function judge:count(name, number, detail, headline)
  local shown = detail and detail ~= "" and "   " .. detail:sub(1, 500) or ""
  self.say(("%-4s %s: %d%s"):format(number > 0 and "BAD" or "ok", name, number, shown))
  if headline then
    self.headlines[headline] = self.headlines[headline] + number
  elseif number > 0 then
    self.others = self.others + 1
  end
end

-- Names of what is wrong, the first of which are shown.
function judge:list(name, list, headline)
  self:count(name, #list, table.concat(list, "; ", 1, math.min(#list, 5)), headline)
end

-- Texts and how often each came.
function judge:texts(name, texts)
  local sum, list = 0, {}
  for text, times in pairs(texts) do
    sum = sum + times
    list[#list + 1] = ("%d times %s"):format(times, text)
  end
  table.sort(list)
  self:count(name, sum, table.concat(list, "; "))
end

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
  self:list("culprits that did not fail by name", culprits.unnamed(evidence.runs, evidence.culprits.kinds))
  self:list("innocents charged with a culprit's death", culprits.framed(evidence.logs, evidence.history))
end

local function judge_executions(self, evidence, all)
  self:count("wrong outputs", evidence.db:number(
    "select count(*) from pgflow.runs r where r.status = 'completed' and r.output is distinct from " .. code.EXPECTED))
  local ran = executions.judge(evidence.db, all, evidence.history)
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

local function judge_queues(self, db)
  local orphans, left = 0, 0
  for _, queue in ipairs(db:rows "select q.queue_name from pgflow.queues q") do
    local name = queue.queue_name -- a valid name needs no quotes
    orphans = orphans + db:number(([[
      select count(*) from pgmq.a_%s a where not exists (
        select from pgflow.step_tasks t where t.queue_name = '%s' and t.message_id = a.msg_id)]]):format(name, name))
    left = left + db:number(("select count(*) from pgmq.q_%s"):format(name))
  end
  self:count("archived without a task", orphans)
  self:count("left in the queue", left)
end

local function judge_server(self, logs)
  local deadlocks, strange = complaints.of_server(logs .. "/postgres.log")
  self:count("deadlocks", deadlocks)
  self:texts("complaints of the server that no fault explains", strange)
end

local function judge_workers(self, evidence)
  self.say(("     reloads accepted: %d, refused: %d"):format(complaints.reloads(evidence.logs)))
  self:list("surprises", evidence.surprises)
  local connections = evidence.connections
  self:count("more connections than at the start", math.max(0, connections[2] - connections[1]),
    ("%d, then %d"):format(unpack(connections)))
  local grown, before, after = 0, {}, {}
  local room = os.getenv "ASAN_OPTIONS" and 256 or 0 -- MB: the sanitizer keeps what was freed
  for i, megabytes in ipairs(evidence.memory[2]) do
    before[i], after[i] = ("%.1f"):format(evidence.memory[1][i]), ("%.1f"):format(megabytes)
    if megabytes > 2 * evidence.memory[1][i] + room then grown = grown + 1 end
  end
  self:count("hosts with more than twice the memory of the start", grown,
    ("%s MB, then %s MB"):format(table.concat(before, " "), table.concat(after, " ")))
end

--- Tells the verdict through say(line); returns true if nothing is wrong.
---@param evidence chaos.Evidence
---@param say fun(line: string)
---@return boolean
function verdict.tell(evidence, say)
  local db = evidence.db
  local self = setmetatable({ say = say, others = 0, headlines = { lost = 0, duplicated = 0, stuck = 0, invariants = 0 } }, judge)
  local compared = judge_runs(self, evidence)
  self:count("stuck", db:number "select count(*) from pgflow.step_tasks t where t.status in ('queued', 'started')", nil, "stuck")
  if evidence.code then
    culprits.confess(evidence.executions, evidence.history)
    judge_culprits(self, evidence)
    local all = executions.read(evidence.executions)
    judge_executions(self, evidence, all)
    changes.judge(self, evidence, compared, all)
  end
  self:count("tasks with more attempts than allowed", db:number [[
    select count(*) from pgflow.step_tasks t
    join pgflow.steps s on s.flow_slug = t.flow_slug and s.step_slug = t.step_slug
    join pgflow.flows f on f.flow_slug = t.flow_slug
    where t.attempts_count - t.requeued_count - t.requeued_dead_count > coalesce(s.opt_max_attempts, f.opt_max_attempts)]])
  self:count("invariants", db:number "select count(*) from pgflow.check_invariants(true)",
    db:text "select string_agg(distinct i.invariant, '; ') from pgflow.check_invariants(true) i", "invariants")
  judge_queues(self, db)
  judge_server(self, evidence.logs)
  judge_workers(self, evidence)
  self:count("not recovered in time", evidence.recovered_in and 0 or 1)
  if evidence.recovered_in then say(("     recovered %.1f s after the last fault"):format(evidence.recovered_in)) end
  local sum = self.headlines
  say(("chaos: lost %d, duplicated %d, stuck %d, invariants %d, other faults %d"):format(
    sum.lost, sum.duplicated, sum.stuck, sum.invariants, self.others))
  return sum.lost + sum.duplicated + sum.stuck + sum.invariants + self.others == 0
end

return verdict
