-- Builds workers: one queue, and the deployed flows whose tasks it serves. Problems are recorded, never raised.
local deploy = require "luaflow.deploy"
local flow = require "luaflow.flow"
local json = require "luaflow.json"
local nearest = require "luaflow.nearest"
local position = require "luaflow.position"
local problems = require "luaflow.problems"
local validate = require "luaflow.validate"

local worker = {}

local SUBSCRIPTION = {}

---@class luaflow.Subscription what a worker serves; read-only
---@field queue string?
---@field name string? of the worker function
---@field flows { deployment: luaflow.Deployment, retained: boolean }[]
---@field problems table[] its own, without those of its flows
---@field where luaflow.Place

---@class luaflow.Worker

---@class (exact) luaflow.WorkerOptions
---@field queue string the one queue that it polls
---@field name? string of the worker function; the queue unless given
---@field flows (luaflow.DeployedFlow<any>|luaflow.Flow<any>)[]

local worker_mt = {
  __metatable = "luaflow.Worker",
  __newindex = function(_, key) error(("a worker is immutable: %s cannot be set"):format(tostring(key)), 2) end,
}

--- The subscription of a worker; nil for any other value.
---@param given any
---@return luaflow.Subscription?
function worker.subscription(given)
  return type(given) == "table" and rawget(given, SUBSCRIPTION) or nil
end

local function collect_flows(list, report)
  local flows = {}
  for i, given in ipairs(list) do
    local deployment, retained = deploy.deployment(given)
    if not deployment and flow.definition(given) then deployment, retained = deploy.implied(given), false end
    if deployment then
      flows[#flows + 1] = { deployment = deployment, retained = retained }
    else
      local what = given == json.null and "nil" or validate.shown(given)
      report("wrong_arguments", ("element %d of flows is %s, not a deployed flow"):format(i, what))
    end
  end
  return flows
end

local function check_versions(flows, report)
  local by_slug, active = {}, {}
  for _, served in ipairs(flows) do
    local slug, alias = served.deployment.slug, served.deployment.alias
    if slug and by_slug[slug] then
      if by_slug[slug] == served.deployment.flow then -- else two flows have one slug, which is the loader's to report
        report("duplicate_flow", ("flows names %s twice"):format(validate.shown(slug)))
      end
    elseif slug then
      by_slug[slug] = served.deployment.flow
      if not served.retained and active[alias] then
        report("several_active", ("%s and %s are both active under alias %s"):format(
          validate.shown(active[alias]), validate.shown(slug), validate.shown(alias)),
          "keep one and write luaflow.retain(...) around the others")
      elseif not served.retained then
        active[alias] = slug
      end
    end
  end
end

local function check_queue(queue, flows, report)
  local routed, names = {}, {}
  for _, served in ipairs(flows) do
    if #served.deployment.problems > 0 then return end
    for _, name in pairs(served.deployment.routing) do
      if not routed[name] then routed[name], names[#names + 1] = true, name end
    end
  end
  table.sort(names)
  if routed[queue] or #names == 0 then return end
  report("queue_without_steps", ("no step of flows is routed to queue %s"):format(validate.shown(queue)),
    nearest.hint(queue, names) or "the steps go to " .. table.concat(names, ", "))
end

local function new_subscription(where)
  local subscription = { problems = {}, where = where }
  return subscription, function(code, message, hint)
    subscription.problems[#subscription.problems + 1] = problems.new(where, {}, code, message, hint)
  end
end

--- The subscription of a worker that no file defines: one for flows that are routed to the queue.
---@param queue string
---@param flows { deployment: luaflow.Deployment, retained: boolean }[] not empty
---@return luaflow.Subscription
function worker.implied(queue, flows)
  local subscription, report = new_subscription(flows[1].deployment.where)
  subscription.queue, subscription.name, subscription.flows = queue, queue, flows
  check_versions(flows, report)
  return subscription
end

--- A worker of one queue.
---@param opts luaflow.WorkerOptions
---@return luaflow.Worker
function worker.new(opts)
  local where = position.of_call "worker"
  local subscription, report = new_subscription(where)
  local good = validate.options("worker", opts, report)
  subscription.queue, subscription.name = good.queue, good.name or good.queue
  subscription.flows = collect_flows(good.flows or {}, report)
  if good.flows and #good.flows == 0 then report("empty_flows", "flows is empty: a worker serves at least one flow") end
  check_versions(subscription.flows, report)
  if good.queue then check_queue(good.queue, subscription.flows, report) end
  return setmetatable({ [SUBSCRIPTION] = subscription }, worker_mt)
end

return worker
