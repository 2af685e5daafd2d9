-- Databases for specs: each is a clone of the template, asked through psql, and dropped at the end.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local session = require "spec.support.session"
local wait = require "spec.support.wait"

local TEMPLATE = "luaflow_template"
local LIMIT = 60 -- seconds for an answer

local database = {}

---@class spec.Database
---@field name string
---@field conninfo string
local methods = {}
methods.__index = methods

local count = 0

--- The administrative conninfo of the test server.
---@return string
function database.admin()
  local conninfo = os.getenv "LUAFLOW_TEST_DATABASE"
  return conninfo or error("LUAFLOW_TEST_DATABASE must be the administrative conninfo of a private test server", 2)
end

local function conninfo_of(name, admin)
  return ("%s dbname=%s"):format(admin or database.admin(), name) -- of two dbnames the last one counts
end

-- Everything that a deployment may write, without what a live worker writes by itself.
local DEFINITIONS = [[
  select jsonb_pretty(jsonb_build_array(
    (select jsonb_agg(f order by f.flow_slug) from pgflow.flows f),
    (select jsonb_agg(s order by s.flow_slug, s.step_index) from pgflow.steps s),
    (select jsonb_agg(d order by d.flow_slug, d.step_slug, d.dep_slug) from pgflow.deps d),
    (select jsonb_agg(a order by a.flow_alias) from pgflow.flow_aliases a),
    (select jsonb_agg(w order by w.function_name) from pgflow.worker_functions w),
    (select jsonb_agg(to_jsonb(w) - array['last_heartbeat_at', 'last_reload_at', 'last_reload_error', 'reload_answer'] order by w.worker_id)
      from pgflow.workers w),
    (select jsonb_agg(h order by h.worker_id, h.flow_slug, h.step_slug) from pgflow.worker_handlers h),
    (select jsonb_agg(r order by r.run_id) from pgflow.runs r),
    (select jsonb_agg(q.queue_name order by q.queue_name) from pgmq.meta q)))]]

-- psql's answer as text; variables are named in the statement as :'name'.
local function ask(conninfo, sql, variables, seconds)
  local argv = { "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose" }
  for name, value in pairs(variables or {}) do
    argv[#argv + 1] = "-v"
    argv[#argv + 1] = name .. "=" .. tostring(value)
  end
  argv[#argv + 1] = "-d"
  argv[#argv + 1] = conninfo
  argv[#argv + 1] = "-f"
  argv[#argv + 1] = "-"
  local input = os.tmpname()
  files.write(input, sql)
  local result = process.run { argv = argv, stdin = input, seconds = seconds or LIMIT, env = { PGCLIENTENCODING = "UTF8" }, alone = true }
  os.remove(input)
  return result
end

local function ask_well(conninfo, sql, variables, seconds)
  local result = ask(conninfo, sql, variables, seconds)
  if result.code ~= 0 then error(("%s\nwhile running: %s"):format(result.err, sql:sub(1, 500)), 3) end
  return (result.out:gsub("\n$", ""))
end

local function new(name, admin)
  return setmetatable({ name = name, admin = admin, conninfo = conninfo_of(name, admin) }, methods)
end

--- A fresh database with the schema.
---@return spec.Database
function database.clone()
  return database.create(TEMPLATE)
end

--- The database of that name on a copy of its server.
---@param admin string the copy's administrative conninfo
---@param name string
---@return spec.Database
function database.copied(admin, name)
  return new(name, admin)
end

--- A fresh database; without a template one that has nothing at all.
---@param template? string
---@return spec.Database
function database.create(template)
  count = count + 1
  local self = new(("luaflow_spec_%s_%d_%d"):format(files.read("/proc/self/stat"):match "^%d+", count, wait.now() * 1000))
  self:make(template)
  return self
end

--- A database that is there already, such as one of `luaflow dev`; it is not to be dropped.
---@param conninfo string
---@return spec.Database
function database.at(conninfo)
  return setmetatable({ conninfo = conninfo }, methods)
end

--- An empty database on a server of one's own.
---@param admin string its administrative conninfo
---@param name string
---@return spec.Database
function database.on(admin, name)
  ask_well(conninfo_of("postgres", admin), ("create database %s template template0"):format(name))
  return new(name, admin)
end

--- The text that psql prints for one or more statements; raises where one fails.
---@param sql string with :'name' for variables
---@param variables? table<string, any>
---@param seconds? number limit, 60 unless given
---@return string
function methods:text(sql, variables, seconds)
  return ask_well(self.conninfo, sql, variables, seconds)
end

-- The first value of a query; "" where there is no row. Each has a connection of its own, but for those within one wait.
local function query(self, sql, variables)
  if not wait.is_looking() then return ask_well(self.conninfo, sql, variables) end
  self.session = self.session or session.new(self.conninfo)
  local ok, value = pcall(self.session.value, self.session, sql, variables, LIMIT)
  if not ok then error(("%s\nwhile running: %s"):format(value, sql:sub(1, 500)), 3) end
  return value
end

--- The first value of a query as a number.
---@param sql string one query; outside a wait others may go before it
---@return number
function methods:number(sql, variables)
  local text = query(self, sql, variables)
  return tonumber(text) or error(("%q is no number: %s"):format(text, sql), 2)
end

--- The rows of a query as tables by column name. SQL null is cjson.null.
---@return table[]
function methods:rows(sql, variables)
  return cjson.decode(query(self, "select coalesce(json_agg(to_json(q)), '[]') from (" .. sql .. ") q", variables))
end

--- The first row of a query; nil where there is none.
---@return table?
function methods:row(sql, variables)
  local row = query(self, "select to_json(q) from (" .. sql .. ") q limit 1", variables)
  return row ~= "" and cjson.decode(row) or nil
end

--- Everything that a deployment may write, as text.
---@return string
function methods:definitions()
  return self:text(DEFINITIONS)
end

--- All that psql said, failures included, with notices in `err`.
---@return { code: integer?, out: string, err: string }
function methods:try(sql, variables, seconds)
  return ask(self.conninfo, sql, variables, seconds)
end

--- How many sessions of this database (other specs' are on the same server) meet a condition on their row `a` of pg_stat_activity; the
--- asking one is not counted.
---@param condition string
---@return integer
function methods:sessions(condition)
  return self:number(([[
    select count(*) from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid() and (%s)]]):format(condition))
end

--- Ends those sessions.
---@param condition string
function methods:end_sessions(condition)
  self:text(([[
    select pg_terminate_backend(a.pid) from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid() and (%s)]]):format(condition))
end

--- Starts a run and returns its id.
---@param name string
---@param input? string JSON text
---@return string
function methods:start(name, input)
  return self:text("select run_id from pgflow.start_flow(:'name', :'input'::jsonb)", { name = name, input = input or "{}" })
end

--- Starts a run for each element of a JSON array.
---@param name string
---@param inputs string JSON text of an array
function methods:start_all(name, inputs)
  self:text([[
    select count(*) from jsonb_array_elements(:'inputs'::jsonb) i, lateral pgflow.start_flow(:'name', i.value)]],
    { name = name, inputs = inputs })
end

--- Waits until no run is under way any more.
---@param seconds? number
function methods:await_runs(seconds)
  wait.till(function()
    return self:number "select count(*) from (select from pgflow.runs r where r.status = 'started' limit 1) r" == 0
  end, seconds or 30, "all runs to end")
end

--- Waits until the run has ended and returns its row.
---@param run_id string
---@param seconds? number
---@return table
function methods:await_run(run_id, seconds)
  return wait.till(function()
    return self:row([[
      select r.status, r.output, r.output::text as output_text, r.error_message, r.error_step_slug
      from pgflow.runs r where r.run_id = :'id' and r.status <> 'started']], { id = run_id })
  end, seconds or 30, "the run to end")
end

--- Starts a run, waits for its end and returns its row.
function methods:complete(name, input, seconds)
  return self:await_run(self:start(name, input), seconds)
end

--- Makes the database, again if it was dropped.
---@param template? string
function methods:make(template)
  ask_well(conninfo_of "postgres", ("create database %s template %s strategy file_copy"):format(self.name, template or "template0"))
end

function methods:drop()
  ask_well(conninfo_of("postgres", self.admin), ("drop database if exists %s with (force)"):format(self.name))
end

--- The last complaints in the server's log, where it can be found: LUAFLOW_TEST_SERVER_LOG, or postgres.log beside the data.
---@return string
function database.server_complaints()
  local path = os.getenv "LUAFLOW_TEST_SERVER_LOG"
  if not path then
    local answer = ask(conninfo_of "postgres", "select regexp_replace(current_setting('data_directory'), '[^/]*$', 'postgres.log')")
    path = answer.out:gsub("\n$", "")
  end
  local found = {}
  for _, line in ipairs(files.lines(path)) do
    if line:find "ERROR:" or line:find "FATAL:" or line:find "PANIC:" or line:find "WARNING:" then found[#found + 1] = line end
  end
  return table.concat(found, "\n", math.max(1, #found - 9))
end

return database
