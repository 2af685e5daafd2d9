-- Compares the engine with the model on the cases of many seeds.
local engine = require "spec.model.engine"
local generate = require "spec.model.generate"
local noted = require "spec.model.noted"
local define = require "spec.model.define"
local replay = require "spec.model.replay"

local compare = {}

local CHUNK = 25 -- seeds that share a database, and so batches
local CHECKED = 5 -- of so many chunks one asks for the invariants in every batch

---@class model.Finding
---@field case model.Case
---@field differences string[]
---@field run table? what the engine noted, where the difference is one of a run

-- One for each case that differs: its first run that does.
local function findings_of(runs, told)
  local findings, found = {}, {}
  for _, run in ipairs(noted.runs(runs, told)) do
    local differences = replay.differences(define.flow(run.case), run.input, run)
    if #differences > 0 and not found[run.case] then
      findings[#findings + 1], found[run.case] = { case = run.case, differences = differences, run = run }, true
    end
  end
  return findings
end

local function complaints_of(told)
  local complaints = {}
  for _, violation in ipairs(told.violations) do
    complaints[#complaints + 1] = ("invariant broken in batch %s: %s, %s: %s"):format(
      tostring(violation.batch), violation.invariant, violation.subject, violation.detail)
  end
  if told.deadlocks > 0 then complaints[#complaints + 1] = ("%d deadlocks"):format(told.deadlocks) end
  return complaints
end

---@class model.Verdict
---@field findings model.Finding[] a case that differs
---@field complaints string[] what is wrong and belongs to no run: errors, violated invariants, deadlocks
---@field deadlocks integer
---@field counts table<string, integer> by what was done

local function count(counts, told)
  for _, name in ipairs { "runs", "tasks", "claims", "entries" } do counts[name] = (counts[name] or 0) + #told[name] end
  for _, batch in ipairs(told.batches) do counts[batch.kind] = (counts[batch.kind] or 0) + 1 end
  for _, entry in ipairs(told.entries) do counts[entry.answer] = (counts[entry.answer] or 0) + 1 end
  for _, run in ipairs(told.runs) do counts[run.status] = (counts[run.status] or 0) + 1 end
end

local function judge(started)
  local told, failure = started:finish()
  local verdict = { findings = {}, complaints = { failure }, deadlocks = 0, counts = {} }
  if told then
    verdict.findings, verdict.complaints, verdict.deadlocks = findings_of(started.runs, told), complaints_of(told), told.deadlocks
    count(verdict.counts, told)
  end
  return verdict
end

--- The verdict on cases that share a database.
---@param cases model.Case[]
---@param options { connections: integer, schedule: integer, checked: boolean }
---@return model.Verdict
function compare.cases(cases, options)
  local started = engine.start(cases, options)
  local ok, verdict = xpcall(judge, debug.traceback, started)
  started:close()
  if not ok then error(verdict, 0) end
  return verdict
end

local function chunk_of(first, last)
  local cases = {}
  for seed = first, last do cases[#cases + 1] = generate.case(seed) end
  return cases
end

-- Where something is wrong that belongs to no run: the first seed that shows it alone, else all of them.
local function look_closer(cases, verdict, options)
  if #verdict.complaints == 0 or #verdict.findings > 0 then return end
  for _, case in ipairs(cases) do
    local alone = compare.cases({ case }, { connections = options.connections, schedule = case.seed, checked = true })
    if #alone.complaints > 0 then
      verdict.findings[1] = { case = case, differences = alone.complaints }
      return
    end
  end
  verdict.findings[1] = { case = cases[1], differences = verdict.complaints, crowd = #cases }
end

--- Compares the seeds from first on; `tell` is called for each chunk with its verdict and the last seed of it.
---@param options { seeds: integer, first: integer, connections: integer }
---@param tell fun(verdict: model.Verdict, last: integer)
function compare.seeds(options, tell)
  local last, under_way = options.first + options.seeds - 1, nil
  local function finish(chunk)
    local ok, verdict = xpcall(judge, debug.traceback, chunk.engine)
    chunk.engine:close()
    if not ok then error(verdict, 0) end
    look_closer(chunk.cases, verdict, options)
    tell(verdict, chunk.last)
  end
  for seed = options.first, last, CHUNK do -- the next chunk works while the one before is judged
    local chunk = { last = math.min(seed + CHUNK - 1, last) }
    chunk.cases = chunk_of(seed, chunk.last)
    chunk.engine = engine.start(chunk.cases, {
      connections = options.connections, schedule = seed, checked = math.floor((seed - options.first) / CHUNK) % CHECKED == 0,
    })
    if under_way then finish(under_way) end
    under_way = chunk
  end
  if under_way then finish(under_way) end
end

return compare
