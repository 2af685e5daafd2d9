-- Finds what is wrong between the deployments of one load; each alone can be right.
local flow = require "luaflow.flow"
local problems = require "luaflow.problems"
local validate = require "luaflow.validate"

local conflicts = {}

local function report(recorded, deployment, code, message, hint)
  recorded[#recorded + 1] = problems.new(deployment.where, { flow = deployment.slug }, code, message, hint)
end

-- One slug is one flow, with one deployment.
local function check_slug(recorded, first, second)
  local slug = validate.shown(second.slug)
  local first_flow, second_flow = flow.definition(first.flow), flow.definition(second.flow)
  if first_flow ~= second_flow then
    recorded[#recorded + 1] = problems.new(second_flow.where, { flow = second.slug }, "duplicate_flow",
      ("flow %s is also defined%s"):format(slug, problems.at(first_flow.where)), "give one of them another slug")
  elseif not (first.implied and second.implied) then
    local message = ("flow %s is also deployed%s"):format(slug, problems.at(first.where))
    report(recorded, second, "duplicate_deployment", message,
      "deploy each version once, in a file that all workers require")
  end
end

local function check_alias(recorded, deployment, other)
  if deployment.alias ~= other.slug or other.alias == deployment.alias then return end
  report(recorded, deployment, "alias_conflict", ("alias %s is the slug of a flow of alias %s%s"):format(
    validate.shown(deployment.alias), validate.shown(other.alias), problems.at(other.where)))
end

local function place_order(a, b)
  if a.where.file ~= b.where.file then return (a.where.file or "") < (b.where.file or "") end
  return (a.where.line or 0) < (b.where.line or 0)
end

--- The problems between deployments.
---@param deployments luaflow.Deployment[] each once; those without a slug do not count
---@return table[] see luaflow.problems
function conflicts.find(deployments)
  local recorded, sorted, by_slug, by_lower = {}, {}, {}, {}
  for _, deployment in ipairs(deployments) do
    if deployment.slug then sorted[#sorted + 1] = deployment end
  end
  table.sort(sorted, place_order)
  for _, deployment in ipairs(sorted) do
    local lower = deployment.slug:lower()
    local same, similar = by_slug[deployment.slug], by_lower[lower]
    if same then
      check_slug(recorded, same, deployment)
    elseif similar then
      report(recorded, deployment, "duplicate_flow", ("flow %s and flow %s%s differ only in case"):format(
        validate.shown(deployment.slug), validate.shown(similar.slug), problems.at(similar.where)))
    end
    by_slug[deployment.slug], by_lower[lower] = same or deployment, similar or deployment
  end
  for _, deployment in pairs(sorted) do
    local owner = by_slug[deployment.alias]
    if owner then check_alias(recorded, deployment, owner) end
  end
  return recorded
end

return conflicts
