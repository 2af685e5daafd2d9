-- Builds the registry of a worker: what the host deploys for it, and the handlers that its executors call.
local dependencies = require "luaflow.dependencies"
local flow = require "luaflow.flow"
local json = require "luaflow.json"
local shape = require "luaflow.shape"

local registry = {}

--- The registry of a worker without problems, as a table to be encoded as JSON. Flows come sorted by slug.
---@param subscription luaflow.Subscription
---@return table
function registry.of(subscription)
  local flows = json.array()
  for i, served in ipairs(subscription.flows) do
    local deployment = served.deployment
    local definition = flow.definition(deployment.flow)
    flows[i] = {
      slug = deployment.slug,
      alias = deployment.alias,
      retained = served.retained,
      file = definition.where.file,
      shape = shape.of(definition),
      routing = json.object(deployment.routing),
    }
  end
  table.sort(flows, function(a, b) return a.slug < b.slug end)
  return { queue = subscription.queue, ["function"] = subscription.name, flows = flows }
end

---@class luaflow.Handler
---@field fn function
---@field kind "single"|"array"|"map"
---@field feeds_map boolean a map step reads this step's output
---@field read_by string? the first step that reads this step's output
---@field transaction boolean
---@field input_mt table? of the table of dependencies, see luaflow.dependencies

--- The handlers of a definition, by step slug.
---@param definition luaflow.Definition
---@return table<string, luaflow.Handler>
function registry.handlers(definition)
  local handlers = {}
  for _, step in ipairs(definition.steps) do
    handlers[step.slug] = {
      fn = step.handler, kind = step.kind, feeds_map = false, transaction = step.options.transaction or false,
      input_mt = step.kind ~= "map" and dependencies.metatable(step.dependencies) or nil,
    }
    for _, slug in ipairs(step.dependencies) do handlers[slug].read_by = handlers[slug].read_by or step.slug end
    if step.kind == "map" and step.dependencies[1] then handlers[step.dependencies[1]].feeds_map = true end
  end
  return handlers
end

return registry
