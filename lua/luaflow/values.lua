-- Recognises what a module returns: flows, deployed flows, workers, and lists or tables of them.
local deploy = require "luaflow.deploy"
local flow = require "luaflow.flow"
local problems = require "luaflow.problems"
local worker = require "luaflow.worker"

local values = {}

---@alias luaflow.Kind "flow"|"deployed"|"worker"

--- What kind of value this is; nil for anything that is none of ours.
---@param given any
---@return luaflow.Kind?
function values.kind(given)
  if flow.definition(given) then return "flow" end
  if deploy.deployment(given) then return "deployed" end
  return worker.subscription(given) and "worker" or nil
end

local function key_order(a, b)
  if type(a) ~= type(b) then return type(a) == "number" end
  if type(a) == "number" or type(a) == "string" then return a < b end
  return tostring(a) < tostring(b)
end

--- Our values in what a module returned: itself, or the elements of a table, in an order that does not change.
---@param given any
---@return table[]
function values.within(given)
  if values.kind(given) then return { given } end
  if type(given) ~= "table" then return {} end
  local keys, found = {}, {}
  for key, element in pairs(given) do
    if values.kind(element) then keys[#keys + 1] = key end
  end
  table.sort(keys, key_order)
  for i, key in ipairs(keys) do found[i] = given[key] end
  return found
end

local function append(list, more)
  for _, element in ipairs(more) do list[#list + 1] = element end
end

local function append_deployment(recorded, deployment)
  if deployment.flow then append(recorded, flow.definition(deployment.flow).problems) end
  append(recorded, deployment.problems)
end

--- The problems that were recorded in a value of ours and in what it holds.
---@param given table
---@return table[] see luaflow.problems; the same problem may be there several times
function values.recorded(given)
  local recorded, kind = {}, values.kind(given)
  if kind == "flow" then
    append(recorded, flow.definition(given).problems)
  elseif kind == "deployed" then
    append_deployment(recorded, (deploy.deployment(given)))
  else
    local subscription = worker.subscription(given)
    for _, served in ipairs(subscription.flows) do append_deployment(recorded, served.deployment) end
    append(recorded, subscription.problems)
  end
  return recorded
end

--- Every place that a value of ours holds, those of its problems included.
---@param given table
---@return luaflow.Place[]
function values.places(given)
  local places, kind = {}, values.kind(given)
  local definition = flow.definition(given)
  if kind == "flow" then append(places, { definition.where, definition.last }) end
  if kind == "deployed" then append(places, { (deploy.deployment(given)).where }) end
  if kind == "worker" then append(places, { worker.subscription(given).where }) end
  for _, step in ipairs(definition and definition.steps or {}) do places[#places + 1] = step.where end
  for _, problem in ipairs(values.recorded(given)) do places[#places + 1] = problem.where end
  return places
end

--- The problems of a flow, deployed flow or worker, or of a table of them, sorted by file and line.
---@param given any
---@return luaflow.Problem[]
function values.problems(given)
  local found = values.within(given)
  if #found == 0 then error("luaflow.problems: a flow, a deployed flow, a worker or a table of them is needed", 2) end
  local recorded = {}
  for _, value in ipairs(found) do append(recorded, values.recorded(value)) end
  return problems.list(recorded)
end

return values
