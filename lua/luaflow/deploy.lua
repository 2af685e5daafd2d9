-- Builds deployed flows: a flow with its stable alias and the queue of every step. Problems are recorded, never raised.
local flow = require "luaflow.flow"
local names = require "luaflow.names"
local nearest = require "luaflow.nearest"
local position = require "luaflow.position"
local problems = require "luaflow.problems"
local validate = require "luaflow.validate"

local deploy = {}

-- The private keys of a deployed flow: its deployment, which `retain` shares, and whether it is retained.
local DEPLOYMENT, RETAINED = {}, {}

---@class luaflow.Deployment one concrete version with its metadata; read-only
---@field flow luaflow.Flow? the value passed in; nil when it was no flow
---@field slug string?
---@field alias string?
---@field routing table<string, string> step slug -> queue, of every step
---@field implied boolean true for a plain flow
---@field problems table[] its own, without those of the flow
---@field where luaflow.Place

---@class luaflow.DeployedFlow<F> F: the class of the flow
---@field flow F the value passed in
---@field alias string the name under which runs of it start

---@class (exact) luaflow.DeployOptions
---@field alias? string the stable name under which callers start runs; the flow's slug unless given
---@field routes? table<string, string> step slug -> queue; other steps go to the flow's slug in lower case

local deployed_mt = {
  __metatable = "luaflow.DeployedFlow",
  __index = function(self, key)
    if key == "flow" or key == "alias" then return rawget(self, DEPLOYMENT)[key] end
  end,
  __newindex = function(_, key) error(("a deployed flow is immutable: %s cannot be set"):format(tostring(key)), 2) end,
}

local function make(deployment, retained)
  return setmetatable({ [DEPLOYMENT] = deployment, [RETAINED] = retained }, deployed_mt)
end

--- The deployment of a deployed flow and whether it is retained; nil for any other value.
---@param given any
---@return luaflow.Deployment?
---@return boolean?
function deploy.deployment(given)
  if type(given) ~= "table" then return nil end
  return rawget(given, DEPLOYMENT), rawget(given, RETAINED)
end

local function check_routes(definition, routes, report)
  local known, slugs = {}, {}
  for i, step in ipairs(definition.steps) do slugs[i], known[step.slug] = step.slug, true end
  local unknown = {}
  for slug in pairs(routes) do
    if not known[slug] then unknown[#unknown + 1] = slug end
  end
  table.sort(unknown, function(a, b) return tostring(a) < tostring(b) end)
  for _, slug in ipairs(unknown) do
    local message = ("routes names %s, which is not a step of flow %s"):format(
      validate.shown(slug), validate.shown(definition.slug))
    report("unknown_step", message, nearest.hint(slug, slugs))
  end
end

-- The queue of every step: its route, else the flow's slug in lower case. A step whose route is no queue name has none.
local function resolve_routing(definition, given, good, report)
  local routing, default = {}, definition.slug and definition.slug:lower()
  local unrouted
  for _, step in ipairs(definition.steps) do
    routing[step.slug] = good[step.slug]
    if given[step.slug] == nil then routing[step.slug], unrouted = default, unrouted or step.slug end
  end
  if unrouted and default and not names.slug_fault(definition.slug) and names.queue_fault(default) then
    report("invalid_queue_name", ("the queue of step %s would be named like its flow, %s, which %s"):format(
      validate.shown(unrouted), validate.shown(default), names.queue_fault(default)),
      'route every step to a queue with a shorter name: luaflow.deploy(flow, { routes = { STEP = "QUEUE" } })')
  end
  return routing
end

local function build(given, opts, where, implied)
  local definition = flow.definition(given)
  local deployment = { flow = given, implied = implied, routing = {}, problems = {}, where = where }
  local function report(code, message, hint)
    deployment.problems[#deployment.problems + 1] = problems.new(where, { flow = deployment.slug }, code, message, hint)
  end
  if not definition then
    deployment.flow = nil
    report("wrong_arguments", ("deploy takes a flow as its first argument, not %s"):format(validate.shown(given)))
    return deployment
  end
  deployment.slug = definition.slug
  if #definition.steps == 0 and #definition.problems == 0 then
    report("no_steps", "a flow needs at least one step (a method returns a new flow: chain the calls, or use what they return)")
  end
  local good = validate.options("deploy", opts, report)
  deployment.alias = good.alias or definition.slug
  check_routes(definition, good.routes or {}, report)
  local given_routes = good.routes and opts.routes or {}
  deployment.routing = resolve_routing(definition, given_routes, good.routes or {}, report)
  return deployment
end

--- The deployment of a plain flow: alias and queues are its slug.
---@param given luaflow.Flow
---@return luaflow.Deployment
function deploy.implied(given)
  return build(given, {}, flow.definition(given).where, true)
end

--- A deployed flow: the flow, the alias under which runs of it start, and the queue of every step.
---@generic F
---@param given F a flow
---@param opts? luaflow.DeployOptions
---@return luaflow.DeployedFlow<F>
function deploy.new(given, opts)
  local where = position.of_call "deploy"
  return make(build(given, opts == nil and {} or opts, where, false), false)
end

--- The same deployed flow, to be served but never activated.
---@generic F
---@param deployed luaflow.DeployedFlow<F>
---@return luaflow.DeployedFlow<F>
function deploy.retain(deployed)
  local where = position.of_call "retain"
  local deployment = deploy.deployment(deployed)
  if not deployment and flow.definition(deployed) then deployment = deploy.implied(deployed) end
  if not deployment then
    deployment = { routing = {}, problems = {}, where = where, implied = false }
    deployment.problems[1] = problems.new(where, {}, "wrong_arguments",
      ("retain takes a deployed flow, not %s"):format(validate.shown(deployed)))
  end
  return make(deployment, true)
end

return deploy
