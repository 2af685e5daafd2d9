-- Workers as an operator has them: `luaflow worker` on a database and a root, with its log in a file.
local cjson = require "cjson"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

local worker = {}

---@class spec.Worker
---@field process spec.Process
local methods = {}
methods.__index = methods

--- Starts a worker and returns at once.
---@param db spec.Database
---@param root spec.Root
---@param options? { program?: string, args?: string[], paths?: string[], env?: table, terminal?: boolean }
---@return spec.Worker
function worker.launch(db, root, options)
  options = options or {}
  local argv = { options.program or process.luaflow(), "worker", "--database", options.database or db.conninfo, "--log-format", "json" }
  for _, word in ipairs(options.args or {}) do argv[#argv + 1] = word end
  argv[#argv + 1] = "--"
  for _, path in ipairs(options.paths or { "flows" }) do argv[#argv + 1] = path end
  local env = { SPEC_FOLDER = root.path }
  for name, value in pairs(options.env or {}) do env[name] = value end
  local self = { db = db, root = root }
  self.process = process.spawn {
    argv = argv, name = "worker", cwd = root.path, env = env, terminal = options.terminal,
  }
  return setmetatable(self, methods)
end

--- Starts a worker and waits until it runs.
---@return spec.Worker
function worker.start(db, root, options)
  local self = worker.launch(db, root, options)
  self:await_log("running", 30)
  return self
end

--- The lines of its log with that verb, decoded.
---@param verb string
---@return table[]
function methods:log(verb)
  local found = {}
  for line in self.process:errors():gmatch "[^\r\n]+" do
    local ok, entry = pcall(cjson.decode, line)
    if ok and type(entry) == "table" and entry.verb == verb then found[#found + 1] = entry end
  end
  return found
end

--- Waits for a log line with that verb; raises with the log if the worker ends before.
---@param verb string
---@param seconds? number limit, 20 unless given
---@return table the first such line
function methods:await_log(verb, seconds)
  return wait.till(function()
    local found = self:log(verb)[1]
    if not found and self.process:poll() then
      error(("the worker ended with %s before it logged %s:\n%s"):format(
        tostring(self.process.ended.code or self.process.ended.signal), verb, self.process:errors()), 0)
    end
    return found
  end, seconds or 20, verb .. " in the worker's log")
end

--- Tells it to drain, and returns how it ended.
---@param seconds? number limit, 20 unless given
---@return { code: integer?, signal: integer? }
function methods:stop(seconds)
  self.process:signal(process.SIGTERM)
  return self.process:wait(seconds or 20)
end

return worker
