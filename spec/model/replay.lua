-- Replays on the model what a run met on the engine, in the order that the engine reports, and tells where the two differ.
local host = require "luaflow.host"
local luaflow = require "luaflow"
local testing = require "luaflow.testing"

local replay = {}

-- A value of the model as text; nil where there is none.
local function text_of(value)
  if value == nil then return nil end
  return assert(host.encode(value))
end

local function value_of(text)
  if text == nil then return luaflow.null end
  local value, message = host.decode(text)
  if message then error(message) end
  return value
end

-- JSON text of the engine in the form that text_of gives.
local function same_form(text)
  return text and text_of(value_of(text))
end

---@class model.Replay
local methods = {}
methods.__index = methods

function methods:differs(what, expected, found)
  if expected ~= found then
    table.insert(self.differences, ("%s: the model has %s, the engine %s"):format(what, tostring(expected), tostring(found)))
  end
end

local function name_of(slug, index)
  return ("%s[%d]"):format(slug, index)
end

-- What is known of the claims of one task: `current` is the claim under way, `settled` the one that was recorded last.
function methods:ledger(slug, index)
  local name = name_of(slug, index)
  self.ledgers[name] = self.ledgers[name] or { count = 0, past = {} }
  return self.ledgers[name]
end

local SLACK = 0.001 -- clocks have microseconds, JSON rounds

-- A delay of the model lies between the bounds that were measured.
function methods:check_delay(what, expected, bounds)
  if expected < bounds.waits_least - SLACK or expected > bounds.waits_most + SLACK then
    self:differs(what .. ", delay", expected, ("%g to %g"):format(bounds.waits_least, bounds.waits_most))
  end
end

-- Claims on the model every queued task that the engine's next claim was of. Where in the order a claim stood does not matter: a task can
-- only be claimed after what has queued it, and nothing that ends it takes the attempt back.
function methods:place_claims()
  for _, queued in ipairs(self.run:queued()) do
    local ledger, name = self:ledger(queued.step, queued.index), name_of(queued.step, queued.index)
    local claim = self.claims[name] and self.claims[name][ledger.count + 1]
    if self.delays[name] then -- of its birth
      self:check_delay("birth of " .. name, queued.visible_at - self.run.now, self.delays[name])
      self.delays[name] = nil
    end
    if claim then
      local given = self.run:claim(queued.step, queued.index)
      ledger.count, ledger.current = ledger.count + 1, ledger.count + 1
      local what = ("claim %d of %s"):format(ledger.count, name)
      self:differs(what .. ", input", text_of(given.input), same_form(claim.input))
      self:differs(what .. ", flow input", text_of(given.flow_input), same_form(claim.flow_input))
      self:differs(what .. ", attempt", given.attempt, claim.attempt)
      self:differs(what .. ", max_attempts", given.max_attempts, claim.max_attempts)
    end
  end
end

local function visible_in(run, slug, index)
  for _, queued in ipairs(run:queued()) do
    if queued.step == slug and queued.index == index then return queued.visible_at - run.now end
  end
end

local REPORT = {
  complete = function(run, entry) return run:complete(entry.step_slug, entry.task_index, value_of(entry.output)) end,
  fail = function(run, entry)
    return run:fail(entry.step_slug, entry.task_index, {
      message = entry.message, delay = entry.delay, permanent = entry.permanent, free = entry.free,
    })
  end,
  release = function(run, entry) return run:release(entry.step_slug, entry.task_index) end,
}

-- The answer that an entry has to get. The database remembers the claim that was recorded last; of the ones before it may say either.
function methods:answer(entry)
  local ledger = self:ledger(entry.step_slug, entry.task_index)
  if ledger.settled == entry.claim_no then return "already" end
  if ledger.past[entry.claim_no] then return entry.answer == "already" and "already" or "stale" end
  if ledger.current ~= entry.claim_no then return "stale" end
  local answer = REPORT[entry.kind](self.run, entry)
  if answer == "done" then
    ledger.current = nil
    if entry.kind ~= "release" then
      if ledger.settled then ledger.past[ledger.settled] = true end
      ledger.settled = entry.claim_no
    end
  end
  return answer
end

function methods:apply(batch)
  if batch.kind == "cancel" then
    local was_open = self.run:cancel(batch.reason)
    self:differs("status after cancel_run", self.run:state().status, batch.status)
    if not was_open then self:differs("cancelling what has ended", "ended", batch.status ~= "started" and "ended" or "started") end
  end
  for _, entry in ipairs(batch.entries or {}) do
    local what = ("batch %d, %s of claim %d of %s"):format(
      batch.batch, entry.kind, entry.claim_no, name_of(entry.step_slug, entry.task_index))
    local expected = self:answer(entry)
    self:differs(what .. ", answer", expected, entry.answer)
    local delay = expected == "done" and entry.waits_least and visible_in(self.run, entry.step_slug, entry.task_index)
    if delay then self:check_delay(what, delay, entry) end
  end
  self:place_claims()
end

local FIELDS = {
  run = { "status", "output", "error_message", "error_step_slug", "remaining_steps" },
  step = {
    "status", "output", "skip_reason", "error_message", "initial_tasks", "remaining_tasks", "failed_tasks", "remaining_deps",
  },
  task = { "status", "attempts", "output", "error_message" },
}

function methods:compare(what, kind, modelled, found)
  for _, field in ipairs(FIELDS[kind]) do
    local expected, given = modelled[field], found[field]
    if field == "output" then expected, given = text_of(expected), same_form(given) end
    self:differs(("%s, %s"):format(what, field), expected, given)
  end
end

function methods:compare_end(run)
  local state = self.run:state()
  self:compare("run", "run", state, run.row)
  for slug, step in pairs(state.steps) do
    local found = run.steps[slug] or {}
    if step.status == "skipped" then step.remaining_deps, found.remaining_deps = nil, nil end -- nobody counts there any more
    self:compare("step " .. slug, "step", step, found)
  end
  for slug, tasks in pairs(state.tasks) do
    for index, task in pairs(tasks) do
      local name = name_of(slug, index)
      self:compare("task " .. name, "task", task, run.tasks[name] or {})
      run.tasks[name] = nil
    end
  end
  for name in pairs(run.tasks) do self:differs("task " .. name, "none", "one") end
  for name, claims in pairs(self.claims) do
    local ledger = self.ledgers[name]
    self:differs("claims of " .. name, ledger and ledger.count or 0, #claims)
  end
end

--- The differences between the model and one run of the engine, in words; empty where they agree.
---@param flow luaflow.Flow
---@param input any
---@param run table see noted.runs
---@return string[]
function replay.differences(flow, input, run)
  local self = { run = testing.model(flow, input), claims = run.claims, delays = run.delays, ledgers = {}, differences = {} }
  setmetatable(self, methods)
  self:place_claims()
  for _, batch in ipairs(run.batches) do self:apply(batch) end
  self:compare_end(run)
  table.sort(self.differences, function(a, b) return (a:find "^batch" and 0 or 1) < (b:find "^batch" and 0 or 1) end)
  return self.differences
end

replay.name_of = name_of

return replay
