-- Runs a flow in memory to its end: one worker without bounds that calls handlers on a virtual clock. What happens when is
-- determined: earlier first, then in the order of steps and indexes.
local attempt = require "luaflow.testing.attempt"
local codec = require "luaflow.testing.codec"
local deploy = require "luaflow.deploy"
local model = require "luaflow.testing.model"
local nearest = require "luaflow.nearest"
local plan = require "luaflow.testing.plan"
local registry = require "luaflow.registry"
local sorted_keys = require "luaflow.sorted_keys"

local testing_run = {}

local RUN_ID = "00000000-0000-4000-8000-000000000001"
local WORKER_ID = "00000000-0000-4000-8000-000000000002"

-- Claims of one task after which it is thought to go on for ever.
local CLAIM_LIMIT = 1000
local CANCEL_GRACE = 5 -- seconds that a handler has to end in once its run was cancelled, as in a worker

---@class luaflow.testing.Options
---@field handlers? table<string, function> by step slug, in the place of the flow's own
---@field query? fun(sql: string, ...): table[]? answers `ctx:query` and `ctx.tx:query`, see luaflow.testing.fakes
---@field http? fun(request: table): table answers `luaflow.http`, see luaflow.testing.fakes
---@field exec? fun(command: table): table answers `ctx:exec`, see luaflow.testing.fakes
---@field env? table<string, string> what `ctx.env` holds; default: nothing
---@field started_at? number epoch seconds at the start; default: now
---@field cancel_at? number seconds after the start at which the run is cancelled
---@field cancel_reason? string
---@field stopping_at? number seconds after the start from which `ctx:stopping()` is true
---@field claim_limit? integer claims of one task after which the test is thought to hang; default 1000

---@class luaflow.testing.AttemptResult
---@field step string
---@field index integer counts from 0
---@field attempt integer counts from 1; a snoozed one is not counted
---@field started_at number seconds since the start of the run
---@field ended_at number
---@field outcome "completed"|"failed"|"permanent"|"snoozed"|"dropped"|"stale" dropped: its task ended while it slept; stale: it
--- ended when the run was cancelled already
---@field message string? of one that did not complete
---@field detail string? what an error of the database says beyond its message
---@field traceback string? of an error that was not raised on purpose

---@class luaflow.testing.Log
---@field step string
---@field index integer
---@field attempt integer
---@field at number seconds since the start of the run
---@field level "debug"|"info"|"warn"|"error"
---@field message string
---@field fields table?

---@class luaflow.testing.Result
---@field flow_slug string
---@field input any of the run
---@field status "completed"|"failed"|"cancelled"
---@field output table? completed leaf steps by slug
---@field error_message string?
---@field error_step_slug string?
---@field outputs table<string, any> of completed steps, by slug
---@field steps table<string, luaflow.testing.StepState>
---@field tasks table<string, table<integer, luaflow.testing.TaskState>>
---@field attempts luaflow.testing.AttemptResult[] in the order in which they ended
---@field errors luaflow.testing.AttemptResult[] those of the attempts that failed
---@field logs luaflow.testing.Log[]
---@field duration number seconds on the virtual clock

-- ---- options ----

local OPTION_TYPES = {
  handlers = "table", query = "function", http = "function", exec = "function", env = "table", started_at = "number", cancel_at = "number",
  cancel_reason = "string", stopping_at = "number", claim_limit = "number",
}

local function refuse_unknown(what, key, known)
  local hint = nearest.hint(key, known)
  error(("luaflow.testing.run: %s %s%s"):format(what, tostring(key), hint and ": " .. hint or ""), 4)
end

local function check_options(opts)
  if type(opts) ~= "table" then error("luaflow.testing.run: options must be a table", 3) end
  for _, name in ipairs(sorted_keys(opts)) do
    local wanted = OPTION_TYPES[name]
    if not wanted then refuse_unknown("unknown option", name, sorted_keys(OPTION_TYPES)) end
    if type(opts[name]) ~= wanted then
      error(("luaflow.testing.run: %s must be a %s, not a %s"):format(name, wanted, type(opts[name])), 3)
    end
  end
end

-- The flow's handlers, with those of the test in their places.
local function handlers_of(definition, given)
  local records = registry.handlers(definition)
  for _, slug in ipairs(sorted_keys(given)) do
    if not records[slug] then refuse_unknown("handlers names no step of the flow:", slug, sorted_keys(records)) end
    if type(given[slug]) ~= "function" then
      error(("luaflow.testing.run: the handler of %s must be a function, not a %s"):format(slug, type(given[slug])), 3)
    end
    records[slug].fn = given[slug]
  end
  return records
end

local function routing_of(flow)
  return (deploy.deployment(flow) or deploy.implied(flow)).routing
end

-- The run's input as JSON text. An unmarked empty table is `[]` where a map reads it.
local function encode_input(definition, input)
  local is_array = false
  for _, step in ipairs(definition.steps) do
    if step.kind == "map" and #step.dependencies == 0 then is_array = true end
  end
  local text, message = codec.encode(input, "input", is_array)
  if not text then error("luaflow.testing.run: " .. message, 3) end
  return text
end

-- ---- attempts ----

local function epoch_of(self)
  return self.started_at + self.model.now
end

-- What is told of an attempt: an entry of the result.
local function entry_of(self, step, index, claim)
  return { step = step, index = index, attempt = claim.attempt, started_at = self.model.now }
end

local function world_of(self, entry)
  local opts = self.opts
  return {
    env = opts.env or {}, query = opts.query, http = opts.http, exec = opts.exec,
    now = function() return self.model.now end,
    epoch = function() return epoch_of(self) end,
    cancelled = function() return self.model.status == "cancelled" end,
    stopping = function() return opts.stopping_at ~= nil and self.model.now >= opts.stopping_at end,
    running = function() return self.running end,
    flow_input = function() return (codec.decode(self.input, "flow_input")) end,
    log = function(level, message, fields)
      self.logs[#self.logs + 1] = {
        step = entry.step, index = entry.index, attempt = entry.attempt, at = self.model.now,
        level = level, message = message, fields = fields,
      }
    end,
  }
end

local function fields_of(self, entry, claim, timeout)
  return {
    run_id = RUN_ID, flow_slug = self.flow_slug, step_slug = entry.step, task_index = entry.index, attempt = claim.attempt,
    max_attempts = claim.max_attempts, queue = self.routing[entry.step], worker_id = WORKER_ID,
    deadline = epoch_of(self) + timeout, transaction = self.records[entry.step].transaction, number = self.begun,
  }
end

local function record_end(self, entry, outcome)
  entry.ended_at, entry.outcome = self.model.now, outcome.outcome
  entry.message, entry.detail, entry.traceback = outcome.message, outcome.detail, outcome.traceback
  self.attempts[#self.attempts + 1] = entry
  if entry.outcome == "failed" or entry.outcome == "permanent" then self.errors[#self.errors + 1] = entry end
end

-- Tells the model how an attempt ended, as the host tells the database.
local function settle(self, entry, outcome)
  local answer
  if outcome.outcome == "completed" then
    answer = self.model:complete(entry.step, entry.index, (codec.decode(outcome.output, "output")))
    if outcome.message then outcome.outcome = "permanent" end -- the model refused its type
  else
    local detail = outcome.detail and ": " .. outcome.detail or ""
    answer = self.model:fail(entry.step, entry.index, {
      message = outcome.message .. detail, delay = outcome.delay,
      permanent = outcome.outcome == "permanent", free = outcome.outcome == "snoozed",
    })
  end
  if answer == "stale" then outcome.outcome = "stale" end
  record_end(self, entry, outcome)
end

local function resume(self, flight)
  self.running = flight.number
  flight.attempt:resume()
  if flight.attempt.outcome then
    settle(self, flight.entry, flight.attempt.outcome)
  else
    self.sleeping[#self.sleeping + 1] = flight
  end
end

local function count_claim(self, step, index)
  local name = ("step %s, task %d"):format(step, index)
  local count, limit = (self.claims[name] or 0) + 1, self.opts.claim_limit or CLAIM_LIMIT
  if count > limit then
    local state = self.model:state().tasks[step][index]
    error(("luaflow.testing.run: %s has not ended after %d claims; the last message is: %s"):format(
      name, limit, tostring(state.error_message)), 0)
  end
  self.claims[name] = count
end

local function start(self, step, index)
  local claim = self.model:claim(step, index)
  if not claim then return end
  count_claim(self, step, index)
  self.begun = self.begun + 1
  local entry, timeout = entry_of(self, step, index, claim), self.model.steps[step].timeout
  local fields = fields_of(self, entry, claim, timeout)
  resume(self, {
    entry = entry, number = self.begun, deadline = self.model.now + timeout,
    attempt = attempt.new(self.records[step], world_of(self, entry), fields, claim.input),
  })
end

-- ---- the clock ----

-- Ends the handlers whose tasks ended while they slept; those of a cancelled run have time to notice.
local function drop_lost(self)
  local kept = {}
  for _, flight in ipairs(self.sleeping) do
    if self.model.status == "cancelled" or self.model:is_started(flight.entry.step, flight.entry.index) then
      kept[#kept + 1] = flight
    else
      record_end(self, flight.entry, { outcome = "dropped" })
    end
  end
  self.sleeping = kept
end

-- Is the handler still asleep when its time is up? Sums of fractions may differ by a little that is no time.
local function is_overdue(flight)
  return flight.attempt.wake_at > flight.deadline + 1e-6
end

-- When the next sleeping handler is due, and its place among the sleeping.
local function earliest_sleeping(self)
  local due, place = math.huge, nil
  for i, flight in ipairs(self.sleeping) do
    local at = is_overdue(flight) and flight.deadline or flight.attempt.wake_at
    if at < due then due, place = at, i end
  end
  return due, place
end

local function wake(self, place)
  local flight = table.remove(self.sleeping, place)
  if is_overdue(flight) then
    local timed_out = ("timed out after %d s"):format(self.model.steps[flight.entry.step].timeout)
    settle(self, flight.entry, { outcome = "failed", message = flight.grace and "it went on after its run was cancelled" or timed_out })
  else
    resume(self, flight)
  end
end

local function cancel(self)
  local grace_ends = self.model.now + CANCEL_GRACE
  self.model:cancel(self.opts.cancel_reason)
  for _, flight in ipairs(self.sleeping) do
    if flight.deadline > grace_ends then flight.deadline, flight.grace = grace_ends, true end
  end
end

local function advance_to(self, seconds)
  if seconds > self.model.now then self.model.now = seconds end
end

local function start_visible(self, queued)
  for _, task in ipairs(queued) do
    if task.visible_at <= self.model.now then start(self, task.step, task.index) end
  end
end

-- Does what comes next. Returns false when nothing is left.
local function step_on(self)
  drop_lost(self)
  local due, place = earliest_sleeping(self)
  local queued, at = self.model:queued(), due
  for _, task in ipairs(queued) do at = math.min(at, task.visible_at) end
  if at == math.huge then return false end
  local cancel_at = self.model.status == "started" and self.opts.cancel_at or math.huge
  advance_to(self, math.min(at, cancel_at))
  if cancel_at <= at then
    cancel(self)
  elseif due <= self.model.now then
    wake(self, place)
  else
    start_visible(self, queued)
  end
  return true
end

-- ---- the result ----

local function result_of(self)
  local state, outputs = self.model:state(), {}
  for slug, step in pairs(state.steps) do outputs[slug] = step.output end
  return {
    flow_slug = self.flow_slug, input = (codec.decode(self.input, "input")),
    status = state.status, output = state.output, error_message = state.error_message,
    error_step_slug = state.error_step_slug, outputs = outputs, steps = state.steps, tasks = state.tasks,
    attempts = self.attempts, errors = self.errors, logs = self.logs, duration = self.model.now,
  }
end

--- Runs a flow to its end in memory, calling its handlers. Raises for a flow with problems, for bad options, for an input
--- that the flow cannot start with, and when a task goes on for ever.
---@param flow luaflow.Flow|luaflow.DeployedFlow
---@param input any the run's input
---@param opts? luaflow.testing.Options
---@return luaflow.testing.Result
function testing_run.run(flow, input, opts)
  opts = opts == nil and {} or opts
  local definition = plan.definition(flow, "run", 2)
  check_options(opts)
  local text = encode_input(definition, input)
  local self = {
    opts = opts, flow_slug = definition.slug, input = text, model = model.start(flow, (codec.decode(text, "input"))),
    records = handlers_of(definition, opts.handlers or {}), routing = routing_of(flow),
    started_at = opts.started_at or os.time(), claims = {}, begun = 0, sleeping = {}, attempts = {}, errors = {}, logs = {},
  }
  while step_on(self) do end
  return result_of(self)
end

return testing_run
