-- Collects the workers of a load: those that its entries return, and one for each queue that the entries' other flows
-- are routed to.
local deploy = require "luaflow.deploy"
local flow = require "luaflow.flow"
local problems = require "luaflow.problems"
local validate = require "luaflow.validate"
local values = require "luaflow.values"
local worker = require "luaflow.worker"

local entries = {}

-- What is known about the served flows of a load.
local Collection = {}
Collection.__index = Collection

function Collection:report(where, subject, code, message, hint)
  self.problems[#self.problems + 1] = problems.new(where, subject, code, message, hint)
end

function Collection:add_worker(given)
  local subscription = worker.subscription(given)
  if self.seen[subscription] then return end
  self.seen[subscription] = true
  for _, served in ipairs(subscription.flows) do self.in_worker[served.deployment.flow or served] = true end
  local other = subscription.queue and self.by_queue[subscription.queue]
  if other then
    local queue = validate.shown(subscription.queue)
    local message = ("queue %s already has a worker%s"):format(queue, problems.at(other.where))
    return self:report(subscription.where, {}, "duplicate_worker", message,
      "put all flows of the queue into one worker")
  end
  if subscription.queue then self.by_queue[subscription.queue] = subscription end
  self.subscriptions[#self.subscriptions + 1] = subscription
end

function Collection:report_unserved(deployment, queue, subscription)
  local message = ("queue %s has a worker%s, which does not serve flow %s"):format(
    validate.shown(queue), problems.at(subscription.where), validate.shown(deployment.slug))
  local subject = { flow = deployment.slug }
  self:report(deployment.where, subject, "not_served", message, "add the flow to that worker's flows")
end

-- Serves a deployment that no worker names: on every queue that its steps are routed to.
function Collection:add_deployment(deployment, retained)
  if self.seen[deployment] or self.in_worker[deployment.flow] then return end
  self.seen[deployment] = true
  for _, problem in ipairs(deployment.problems) do self.problems[#self.problems + 1] = problem end
  local queues, known = {}, {}
  for _, queue in pairs(deployment.routing) do
    if not known[queue] then queues[#queues + 1], known[queue] = queue, true end
  end
  table.sort(queues)
  for _, queue in ipairs(queues) do
    local explicit = self.by_queue[queue]
    if explicit then
      self:report_unserved(deployment, queue, explicit)
    else
      local list = self.implied[queue] or {}
      list[#list + 1], self.implied[queue] = { deployment = deployment, retained = retained }, list
    end
  end
end

-- A plain flow that some file deploys is served as it is deployed there, if at all.
function Collection:add_flow(given)
  local definition = flow.definition(given)
  if self.seen[definition] or self.deployed[definition] then return end
  self.seen[definition] = true
  self:add_deployment(deploy.implied(given), false)
end

-- A deployment that any file retains is retained, whatever other files return it.
local function add_deployed_flows(collection, returned)
  for _, value in ipairs(returned) do
    local deployment, is_retained = deploy.deployment(value)
    if is_retained then collection.retained[deployment] = true end
    local definition = deployment and deployment.flow and flow.definition(deployment.flow)
    if definition then collection.deployed[definition] = true end
  end
end

--- What is served.
---@param returned table[] the values of ours that any file of the load returned
---@param served table[] those of them that entries returned
---@return luaflow.Subscription[]
---@return table[] problems see luaflow.problems
function entries.subscriptions(returned, served)
  local collection = setmetatable({
    problems = {}, subscriptions = {}, by_queue = {}, implied = {}, in_worker = {}, seen = {}, deployed = {}, retained = {},
  }, Collection)
  add_deployed_flows(collection, returned)
  for _, value in ipairs(served) do
    if values.kind(value) == "worker" then collection:add_worker(value) end
  end
  for _, value in ipairs(served) do
    local deployment = deploy.deployment(value)
    if values.kind(value) == "deployed" then collection:add_deployment(deployment, collection.retained[deployment] == true) end
  end
  for _, value in ipairs(served) do
    if values.kind(value) == "flow" then collection:add_flow(value) end
  end
  for queue, list in pairs(collection.implied) do
    collection.subscriptions[#collection.subscriptions + 1] = worker.implied(queue, list)
  end
  table.sort(collection.subscriptions, function(a, b) return (a.queue or "") < (b.queue or "") end)
  return collection.subscriptions, collection.problems
end

return entries
