-- The luaflow values of cases: flows, their deployments, and the registries that deploy_flows gets.
local host = require "luaflow.host"
local luaflow = require "luaflow"
local registry = require "luaflow.registry"
local worker = require "luaflow.worker"

local define = {}

local function handler()
  error "the outcomes stand in for the handlers"
end

--- The flow of a case; raises where it has problems.
---@param case model.Case
---@return luaflow.Flow
function define.flow(case)
  local flow = luaflow.flow { slug = case.slug, max_attempts = case.options.max_attempts, base_delay = case.options.base_delay }
  for _, step in ipairs(case.steps) do
    local options = { slug = step.slug }
    for name, value in pairs(step.options) do options[name] = value end
    if step.kind == "map" then
      options.array = step.deps[1]
    elseif #step.deps > 0 then
      options.depends_on = step.deps
    end
    flow = flow[step.kind](flow, options, handler)
  end
  return flow
end

function define.queue(n)
  return "model_" .. n
end

local function deployed(case)
  local routes = {}
  for _, step in ipairs(case.steps) do routes[step.slug] = define.queue(step.queue) end
  return luaflow.deploy(define.flow(case), { routes = routes })
end

--- The registries of the workers of all queues that the cases use, as JSON by queue.
---@param cases model.Case[]
---@return { queue: string, registry: string }[]
function define.registries(cases)
  local flows, used, list = {}, {}, {}
  for i, case in ipairs(cases) do
    flows[i] = deployed(case)
    for _, step in ipairs(case.steps) do used[define.queue(step.queue)] = true end
  end
  for queue in pairs(used) do
    local served = luaflow.worker { queue = queue, flows = flows }
    local problems = luaflow.problems(served)
    if #problems > 0 then error("the case has a problem: " .. host.encode(problems)) end
    list[#list + 1] = { queue = queue, registry = assert(host.encode(registry.of(worker.subscription(served)))) }
  end
  table.sort(list, function(a, b) return a.queue < b.queue end)
  return list
end

return define
