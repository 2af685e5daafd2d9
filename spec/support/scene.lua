-- What most specs need: a database, a root with flows, and workers; and at the end the proof that nothing is left.
local assert = require "luassert"
local database = require "spec.support.database"
local flows = require "spec.support.flows"
local process = require "spec.support.process"
local worker = require "spec.support.worker"

local scene = {}

---@class spec.Scene
---@field db spec.Database
---@field root spec.Root
---@field workers spec.Worker[]
local methods = {}
methods.__index = methods

--- Opens a scene with these files in its root.
---@param contents table<string, string>
---@param db? spec.Database a fresh one unless given
---@return spec.Scene
function scene.open(contents, db)
  return setmetatable({ db = db or database.clone(), root = flows.root(contents), workers = {} }, methods)
end

--- Starts a worker of this scene and waits until it runs.
---@param options? table see worker.launch
---@return spec.Worker
function methods:worker(options)
  local started = self:launch(options)
  started:await_log("running", 30)
  return started
end

--- Starts a worker of this scene.
function methods:launch(options)
  local started = worker.launch(self.db, self.root, options)
  self.workers[#self.workers + 1] = started
  return started
end

--- Runs the executable in the root to its end, with this scene's database in its environment.
---@param argv string[] without the program
---@param options? table see process.run
---@return { code: integer?, signal: integer?, out: string, err: string }
function methods:luaflow(argv, options)
  local all = { process.luaflow() }
  for _, word in ipairs(argv) do all[#all + 1] = word end
  local given = { argv = all, cwd = self.root.path, env = { DATABASE_URL = self.db.conninfo } }
  for name, value in pairs(options or {}) do given[name] = value end
  return process.run(given)
end

--- The same for a command that must succeed: what it wrote to standard output, and to standard error.
function methods:succeed(...)
  local result = self:luaflow { ... }
  assert.equal(0, result.code, result.err)
  return result.out, result.err
end

--- Starts a worker that must end by itself: its standard error and its exit code.
---@param options? table see worker.launch
---@param db? spec.Database the scene's unless given
---@return string, integer?
function methods:refusal(options, db)
  local refused = worker.launch(db or self.db, self.root, options)
  local ended = refused.process:wait(20)
  local text = refused.process:errors()
  refused.process:assert_gone()
  refused.process:forget()
  return text, ended.code
end

--- Stops the workers that still run, and requires that they drain, that no task is in flight and no process left.
function methods:stop_workers()
  for _, each in ipairs(self.workers) do
    if not each.process:poll() then assert.same({ code = 0 }, each:stop()) end
    each.process:assert_gone()
  end
  assert.equal(0, self.db:number "select count(*) from pgflow.step_tasks t where t.status = 'started'")
  for _, each in ipairs(self.workers) do each.process:forget() end
  self.workers = {}
end

--- Requires that the database is consistent.
function methods:assert_consistent()
  assert.same({}, self.db:rows "select * from pgflow.check_invariants(true)")
end

--- The end of every scene: what stop_workers proves, then the database and the root go.
function methods:close()
  local ok, message = pcall(self.stop_workers, self)
  if not ok then require("spec.support.report").print() end
  for _, left in ipairs(process.started()) do
    if not left.stays then left:forget() end
  end
  self.db:drop()
  self.root:remove()
  if not ok then error(message, 0) end
end

return scene
