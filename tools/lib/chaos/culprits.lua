-- Runs that are to fail, each by its own fault alone: tasks that end their executor while they are suspended, beside tasks of
-- innocents, and inputs above what a worker takes.
local cjson = require "cjson"
local code = require "tools.lib.chaos.code"
local files = require "spec.support.files"
local lfs = require "lfs"

local culprits = {}

local PATIENCE = 20 -- seconds, for an answer of the database

-- The input of each kind as SQL, and what the error of its run says. The oversized one has
-- 68 MB as text, which is more than the default of --max-input.
local KINDS = {
  kill = { input = "to_jsonb('kill'::text)", says = "SIGKILL" },
  alarm = { input = "to_jsonb('alarm'::text)", says = "SIGALRM" },
  oversized = {
    input = "(select jsonb_build_object('n', repeat('x', 68 << 20)))", says = "%-%-max%-input",
  },
}

---@class chaos.Culprits
---@field kinds string[] of the runs, whose keys are 'culprit 1' and so on
local methods = {}
methods.__index = methods

---@param db spec.Database
---@return chaos.Culprits
function culprits.open(db)
  return setmetatable({ db = db, kinds = {}, started = 0 }, methods)
end

--- One more of that kind, which is started as soon as the database takes it.
---@param kind "kill"|"alarm"|"oversized"
function methods:order(kind)
  self.kinds[#self.kinds + 1] = kind
end

--- Starts what was ordered; returns whether all of it was.
---@return boolean
function methods:feed()
  while self.started < #self.kinds do
    local number = self.started + 1
    local asked, answer = pcall(self.db.try, self.db, ([[
      select count(*) from pgflow.start_flow('%s', %s, idempotency_key => 'culprit %d')]]):format(
      code.CULPRIT, KINDS[self.kinds[number]].input, number), nil, PATIENCE)
    if not asked or answer.code ~= 0 then return false end
    self.started = number
  end
  return true
end

--- Those that did not fail, or whose error does not say why.
---@param runs { run_id: string, key: string, status: string, error_message: string? }[]
---@param kinds string[] by number
---@param killed table<string, boolean> the runs of those that a fault killed as they ran alone, so that this was their last error
---@return string[]
function culprits.unnamed(runs, kinds, killed)
  local by_key, wrong = {}, {}
  for _, run in ipairs(runs) do by_key[run.key] = run end
  for number, kind in ipairs(kinds) do
    local run = by_key["culprit " .. number] or { status = "never started" }
    local message = type(run.error_message) == "string" and run.error_message or ""
    local is_named = message:find(KINDS[kind].says) or killed[run.run_id] and message:find "SIGKILL"
    if run.status ~= "failed" or not is_named then
      wrong[#wrong + 1] = ("culprit %d (%s): %s %s"):format(number, kind, run.status, message)
    end
  end
  return wrong
end

--- Notes in the history when culprits ended their executors, which explains that what ran beside them ran again.
---@param executions string the file of executions
---@param past chaos.History
function culprits.confess(executions, past)
  for _, line in ipairs(files.lines(executions .. ".deaths")) do
    local worker, claimed = line:match "^(%d+) ([%d.]+)$"
    assert(worker, "a torn line in the file of deaths")
    past:add("culprit", tonumber(worker), tonumber(claimed))
  end
end

-- The time of a log line as one of the day.
local function epoch(text)
  local year, month, day, hour, minute, second, milliseconds = text:match "^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)%.(%d+)Z$"
  local fields = { year = year, month = month, day = day, hour = hour, min = minute, sec = second, isdst = false }
  local offset = os.difftime(os.time(), os.time(os.date "!*t" --[[@as osdateparam]]))
  return os.time(fields) + offset + milliseconds / 1000
end

-- A worker's log names an executor's death after it was reaped.
local LATE = 5

-- Calls visit(worker, entry, signal) for each failed attempt in the workers' logs, worker-NUMBER-START.log; signal is what its message
-- names.
local function each_failed_attempt(folder, visit)
  for name in lfs.dir(folder) do
    local worker = tonumber((name:match "^worker%-(%d+)%-%d+%.log$"))
    for _, line in ipairs(worker and files.lines(folder .. "/" .. name) or {}) do
      local ok, entry = pcall(cjson.decode, line:find('"attempt_failed"', 1, true) and line or "null")
      if ok and type(entry) == "table" and entry.verb == "attempt_failed" then visit(worker, entry, entry.message:match "SIG%u+") end
    end
  end
end

--- The failed attempts of innocents that were charged with a culprit's death: by its signal, where the chaos itself killed nothing of
--- that worker.
---@param folder string with the workers' logs
---@param past chaos.History
---@return string[]
function culprits.framed(folder, past)
  local found = {}
  each_failed_attempt(folder, function(worker, entry, signal)
    if not signal or entry.flow == code.CULPRIT then return end
    if signal == "SIGALRM" or not past:killed(worker, epoch(entry.time), LATE) then
      found[#found + 1] = ("worker %d: %s %s %d: %s"):format(worker, entry.run, entry.step, entry.index, entry.message)
    end
  end)
  return found
end

--- The runs of culprits that the chaos itself killed.
---@param folder string with the workers' logs
---@param past chaos.History
---@return table<string, boolean>
function culprits.killed(folder, past)
  local found = {}
  each_failed_attempt(folder, function(worker, entry, signal)
    if signal == "SIGKILL" and entry.flow == code.CULPRIT and past:killed(worker, epoch(entry.time), LATE) then found[entry.run] = true end
  end)
  return found
end

return culprits
