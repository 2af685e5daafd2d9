-- Runs cases on the engine: a fresh database, several sessions at once, and what they have noted.
local database = require "spec.support.database"
local define = require "spec.model.define"
local files = require "spec.support.files"
local host = require "luaflow.host"
local luaflow = require "luaflow"
local process = require "spec.support.process"
local random = require "spec.model.random"

local engine = {}

local SECONDS = 240 -- for the work of one engine

---@class model.Engine
---@field db spec.Database
---@field sessions spec.Process[]
---@field runs { run_id: string, case: model.Case, run: model.Run }[]
local methods = {}
methods.__index = methods

local function encode(value)
  return assert(host.encode(value))
end

-- A text as an SQL literal; JSON has no such mark outside of its strings, and none of ours has it inside.
local function quoted(text)
  return "$model$" .. text .. "$model$"
end

-- The runs of the cases, dealt out to the sessions, as the database is to have them.
local function rows_of(self, rng, connections)
  local rows = luaflow.array()
  for i, each in ipairs(self.runs) do
    local cancel = each.run.cancel
    local start_at = rng:int(1, math.ceil(#self.runs / 3))
    rows[i] = luaflow.object {
      run_id = each.run_id, name = each.case.slug, input = each.run.input, outcomes = luaflow.object(each.run.outcomes),
      connection = rng:int(1, connections), start_at = start_at,
      cancel_at = cancel and start_at + cancel.at - 1, cancel_reason = cancel and cancel.reason,
    }
  end
  return rows
end

local function load(self, cases, rng, connections)
  local sql = { files.read "spec/model/driver.sql" }
  for i, each in ipairs(define.registries(cases)) do
    sql[#sql + 1] = ("select spec.deploy(%d, '%s', %s);"):format(i, each.queue, quoted(each.registry))
  end
  sql[#sql + 1] = ("select spec.load(%s);"):format(quoted(encode(rows_of(self, rng, connections))))
  self.db:text(table.concat(sql, "\n"))
end

local SESSION = [[
set synchronous_commit = off;
set statement_timeout = '%ds';
call spec.drive(%d, %.6f, %s);
]]

--- Starts the work.
---@param cases model.Case[]
---@param options { connections: integer, schedule: integer, checked: boolean } the schedule is a seed; where it is checked
---   every batch asks for the invariants
---@return model.Engine
function engine.start(cases, options)
  local self = setmetatable({ db = database.clone(), sessions = {}, runs = {} }, methods)
  for _, case in ipairs(cases) do
    for _, run in ipairs(case.runs) do
      local run_id = ("00000000-0000-4000-8000-%012d"):format(#self.runs + 1)
      self.runs[#self.runs + 1] = { run_id = run_id, case = case, run = run }
    end
  end
  local rng = random.new(options.schedule, "schedule")
  load(self, cases, rng, options.connections)
  self.script = files.temporary_folder()
  for connection = 1, options.connections do
    local path = self.script .. "/" .. connection
    files.write(path, SESSION:format(SECONDS, connection, rng:next() * 2 - 1, tostring(options.checked)))
    self.sessions[connection] = process.spawn {
      name = "session", argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.db.conninfo, "-f", path },
    }
  end
  return self
end

-- A list of rows as JSON text.
local function rows_text(query)
  return ("(select coalesce(json_agg(q), '[]') from (%s) q)"):format(query)
end

-- Values are text, so that JSON null differs from none.
local NOTED = "select json_build_object(" .. table.concat({
  "'batches', " .. rows_text [[select b.batch, b.kind, b.run_ids, b.status, b.reason from spec.batches b
    where b.run_ids <> '{}' order by b.locked_at, b.batch]],
  "'entries', " .. rows_text [[select e.batch, e.kind, e.n, e.run_id, e.step_slug, e.task_index, e.claim_no & 1048575 as claim_no,
    e.output::text as output, e.message, e.delay, e.permanent, e.free, e.answer, e.waits_least, e.waits_most from spec.entries e]],
  "'claims', " .. rows_text [[select c.run_id, c.step_slug, c.task_index, c.claim_no & 1048575 as claim_no, c.attempt, c.max_attempts,
    c.timeout_s, c.input::text as input, c.flow_input::text as flow_input from spec.claims c]],
  "'delays', " .. rows_text "select * from spec.delays",
  "'runs', " .. rows_text [[select r.run_id, r.status, r.output::text as output, r.error_message, r.error_step_slug, r.remaining_steps
    from pgflow.runs r]],
  "'steps', " .. rows_text [[select s.run_id, s.step_slug, s.status, s.output::text as output, s.skip_reason, s.error_message,
    s.initial_tasks, s.remaining_tasks, nullif(s.failed_tasks, 0) as failed_tasks, s.remaining_deps from pgflow.step_states s]],
  "'tasks', " .. rows_text [[select t.run_id, t.step_slug, t.task_index, t.status, t.attempts_count as attempts, t.output::text as output,
    t.error_message from pgflow.step_tasks t]],
  "'violations', " .. rows_text [[select v.batch, v.invariant, v.subject, v.detail from spec.violations v union all
    select null, i.invariant, i.subject, i.detail from pgflow.check_invariants(true) i]],
  "'deadlocks', (select d.deadlocks from pg_stat_database d where d.datname = current_database())",
}, ",\n") .. ")"

--- Waits for the sessions and returns what they have noted, with the final state; or nil and what a session said.
---@return table? noted
---@return string? failure
function methods:finish()
  local failures = {}
  for _, session in ipairs(self.sessions) do
    local ended = session:wait(SECONDS + 30)
    if ended.code ~= 0 then failures[#failures + 1] = session:errors() end
  end
  if #failures > 0 then return nil, table.concat(failures, "\n") end
  return assert(host.decode(self.db:text(NOTED)))
end

function methods:close()
  for _, session in ipairs(self.sessions) do session:forget() end
  files.remove(self.script)
  self.db:drop()
end

return engine
