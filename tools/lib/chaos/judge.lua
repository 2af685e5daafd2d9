-- The answers of a verdict: a line for each question, and the judgements that every kind of chaos has in common.
local complaints = require "tools.lib.chaos.complaints"

---@class chaos.Judge
---@field say fun(line: string)
---@field headlines table<string, integer> the answers that the last line tells
---@field others integer how many other answers were bad
local judge = {}
judge.__index = judge

---@param say fun(line: string)
---@return chaos.Judge
function judge.new(say)
  return setmetatable({ say = say, others = 0, headlines = { lost = 0, duplicated = 0, stuck = 0, invariants = 0 } }, judge)
end

--- A line for one question whose answer should be 0. With a headline the answer is added to that.
function judge:count(name, number, detail, headline)
  local shown = detail and detail ~= "" and "   " .. detail:sub(1, 500) or ""
  self.say(("%-4s %s: %d%s"):format(number > 0 and "BAD" or "ok", name, number, shown))
  if headline then
    self.headlines[headline] = self.headlines[headline] + number
  elseif number > 0 then
    self.others = self.others + 1
  end
end

--- Names of what is wrong, the first of which are shown.
function judge:list(name, list, headline)
  self:count(name, #list, table.concat(list, "; ", 1, math.min(#list, 5)), headline)
end

--- Texts and how often each came.
function judge:texts(name, texts)
  local sum, list = 0, {}
  for text, times in pairs(texts) do
    sum = sum + times
    list[#list + 1] = ("%d times %s"):format(times, text)
  end
  table.sort(list)
  self:count(name, sum, table.concat(list, "; "))
end

-- What the queues and their archives hold after the last run has ended.
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

--- Everything that has to be in order at the end, whatever happened before.
---@param evidence { db: spec.Database, logs: string, surprises: string[], connections: integer[], memory: number[][],
---   recovered_in: number? }
function judge:aftermath(evidence)
  local db = evidence.db
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
  if evidence.recovered_in then self.say(("     recovered %.1f s after the last fault"):format(evidence.recovered_in)) end
end

--- The last line; returns true if nothing is wrong.
---@return boolean
function judge:sum()
  local sum = self.headlines
  self.say(("chaos: lost %d, duplicated %d, stuck %d, invariants %d, other faults %d"):format(
    sum.lost, sum.duplicated, sum.stuck, sum.invariants, self.others))
  return sum.lost + sum.duplicated + sum.stuck + sum.invariants + self.others == 0
end

return judge
