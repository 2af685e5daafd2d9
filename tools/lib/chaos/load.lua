-- The runs that are started, at a steady rate, over a connection without faults of its own. Each has a key, so that a start
-- whose answer was lost can be sent again. Some of them are cancelled at a random moment, and some of these retried.
local system = require "system"

local load = {}

-- Of so many runs one is cancelled, of so many of these one retried; within so many seconds after the start and the cancellation.
local CANCELLED, RETRIED, WITHIN = 8, 2, 4
local PATIENCE, AGAIN = 20, 1 -- seconds: for an answer, and until a command is sent again

---@class chaos.Load
---@field started integer runs, with the keys 'chaos 1' and so on
---@field ended table<integer, { status: string, at: number }> how a run had ended once it was cancelled, by number, and when that was known
---@field retried integer runs
local methods = {}
methods.__index = methods

---@param db spec.Database
---@param name string
---@param input? string JSON text; the number of the run where there is none
---@param rate number runs a second
---@param cancels boolean whether some runs are cancelled
---@param now number
function load.open(db, name, input, rate, cancels, now)
  return setmetatable({
    db = db, name = name, input = input, rate = rate, cancels = cancels, from = now, started = 0, commands = {}, ended = {}, retried = 0,
  }, methods)
end

-- What psql answers; nil where it does not.
local function ask(self, sql, variables)
  local asked, answer = pcall(self.db.try, self.db, sql, variables, PATIENCE)
  return asked and answer or { out = "" }
end

--- Starts runs up to that number, unless the database is away. Returns whether it was there.
---@param last integer
---@return boolean
function methods:start(last)
  local answer = ask(self, [[
    select count(*) from generate_series(:first, :last) i,
      lateral pgflow.start_flow(:'name', coalesce(nullif(:'input', '')::jsonb, to_jsonb(i)), idempotency_key => 'chaos ' || i)]],
    { first = self.started + 1, last = last, name = self.name, input = self.input or "" })
  if answer.code == 0 then self.started = last end
  return answer.code == 0
end

local function order(self, verb, number, now)
  self.commands[#self.commands + 1] = { verb = verb, number = number, due = now + math.random() * WITHIN }
end

-- Each answers with its place in the list and the status of the run, and takes these: the place, what is called, and the number of the run.
local COMMAND = "select '%d ' || c.status from pgflow.runs r, lateral pgflow.%s c where r.idempotency_key = 'chaos %d';"
-- A retry has the key of the run that it retries.
local FUNCTIONS = { cancel = "cancel_run(r.run_id, 'chaos')", retry = "retry_run(coalesce(r.restart_of_run_id, r.run_id))" }

-- Notes the answer to a command, and orders the retry of a run that is cancelled now.
local function note(self, command, status, now)
  if command.verb == "retry" then
    self.retried = self.retried + 1
  else
    self.ended[command.number] = { status = status, at = system.gettime() }
    if status == "cancelled" and math.random(RETRIED) == 1 then order(self, "retry", command.number, now) end
  end
end

--- Gives the commands that are due, each in a transaction of its own; those without an answer again later.
---@param now number
---@return boolean whether none is left
function methods:command(now)
  local due, left = {}, {}
  for _, command in ipairs(self.commands) do
    if command.due <= now then due[#due + 1] = command else left[#left + 1] = command end
  end
  if #due == 0 then return #left == 0 end
  self.commands = left
  local lines = {}
  for i, command in ipairs(due) do lines[i] = COMMAND:format(i, FUNCTIONS[command.verb], command.number) end
  local statuses = {}
  for i, status in ask(self, table.concat(lines, "\n")).out:gmatch "(%d+) (%l+)\n" do statuses[tonumber(i)] = status end
  for i, command in ipairs(due) do
    if statuses[i] then
      note(self, command, statuses[i], now)
    else
      command.due = now + AGAIN
      table.insert(self.commands, command)
    end
  end
  return false
end

--- Does what is due by now. While the database is away nothing is lost: the same is due again.
---@param now number
function methods:feed(now)
  local before, due = self.started, math.floor((now - self.from) * self.rate)
  if due > before and self:start(due) and self.cancels then
    for number = before + 1, due do
      if math.random(CANCELLED) == 1 then order(self, "cancel", number, now) end
    end
  end
  self:command(now)
end

return load
