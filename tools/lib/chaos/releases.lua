-- The files of --swaps: versions of one flow under one alias, and the flow of the probes. Each replica has a tree of its own, with a
-- revision of its own.
local files = require "spec.support.files"
local flows = require "spec.support.flows"
local system = require "system"

local releases = {}

--- The file, below each root.
releases.PATH = "flows/swap.lua"

releases.ALIAS = "swap"
releases.TIMEOUT = 300 -- seconds, of every attempt
releases.LONG = 16 -- of so many runs one has a long task
local SHORTEST, LONGEST = 10, 120 -- seconds of long tasks

-- Every execution is a line in a file, as in tools/lib/chaos/code.lua. Versions have different last steps; replicas have different options.
local FILE = [[
local luaflow = require "luaflow"
local TIMEOUT, REVISION, LONG, SHORTEST, LONGEST, DELAY = %d, %d, %d, %d, %d, %d

local function note(ctx, slug)
  local file = assert(io.open(ctx.env.CHAOS_EXECUTIONS, "a"))
  file:setvbuf("full") -- one write
  file:write(("%%s %%s %%d %%d %%s 0 %%.3f %%s %%d\n"):format(ctx.run_id, ctx.step_slug, ctx.task_index, ctx.attempt,
    ctx.env.CHAOS_WORKER, ctx.deadline - TIMEOUT, slug, REVISION))
  file:close()
end

local function version(number)
  local slug, last = "swap_v" .. number, "last_" .. number
  local flow = luaflow.flow { slug = slug, max_attempts = 30, base_delay = DELAY, timeout = TIMEOUT }
    :step({ slug = "first" }, function(n, ctx)
      note(ctx, slug)
      return n
    end)
    :step({ slug = "work", depends_on = { "first" } }, function(deps, ctx)
      note(ctx, slug)
      ctx:sleep(deps.first %% LONG == 0 and SHORTEST + deps.first / LONG * 37 %% (LONGEST - SHORTEST + 1) or 0.05)
      return deps.first
    end)
    :step({ slug = last, depends_on = { "work" } }, function(deps, ctx)
      note(ctx, slug)
      return number * deps.work
    end)
  return luaflow.deploy(flow, { alias = "swap", routes = { first = "swap", work = "swap", [last] = "swap" } })
end

local probe = luaflow.flow { slug = "probe", max_attempts = 30, timeout = TIMEOUT }
  :step({ slug = "only" }, function(_, ctx) note(ctx, "probe") return "taken" end)

local flows = { luaflow.deploy(probe, { routes = { only = "swap" } }) }
for _, number in ipairs { %s } do
  local deployed = version(number)
  flows[#flows + 1] = number == %d and deployed or luaflow.retain(deployed)
end
return luaflow.worker { queue = "swap", flows = flows }
]]

--- The output of a run, as SQL.
releases.EXPECTED = [[
  case r.flow_slug when 'probe' then '{"only": "taken"}'
    else jsonb_build_object('last_' || substr(r.flow_slug, 7), substr(r.flow_slug, 7)::int * r.input::int) end]]

---@class chaos.Release
---@field tree integer
---@field revision integer
---@field at number time of day at which it was complete
---@field active integer the version that the alias is to have
---@field versions table<integer, true>

---@class chaos.Releases
---@field trees { root: spec.Root, versions: integer[], active: integer, revision: integer }[] one for each replica
---@field list chaos.Release[] all that were written, in order
---@field latest integer the newest version that any tree has or had
local methods = {}
methods.__index = methods

--- Writes the first files, with two versions.
---@param count integer trees
---@param seconds number for which changes will go on: no long task takes more than a quarter
---@return chaos.Releases
function releases.open(count, seconds)
  local longest = math.max(SHORTEST, math.min(LONGEST, seconds / 4))
  local self = setmetatable({ trees = {}, list = {}, latest = 2, revision = 0, longest = longest }, methods)
  for i = 1, count do
    self.trees[i] = { root = flows.root {}, versions = { 1, 2 }, active = 2 }
    files.make_folder(self.trees[i].root:at "flows")
    self:write(i)
  end
  return self
end

local function text_of(self, tree, revision, base_delay)
  return FILE:format(releases.TIMEOUT, revision, releases.LONG, SHORTEST, self.longest, base_delay, table.concat(tree.versions, ", "),
    tree.active)
end

local function replace(self, index, text)
  local path = self.trees[index].root:at(releases.PATH)
  files.write(path .. ".new", text)
  assert(os.rename(path .. ".new", path))
end

--- A new revision of what a tree has, with other versions if they are given.
---@param index integer
---@param versions? integer[]
---@param active? integer
function methods:write(index, versions, active)
  local tree = self.trees[index]
  self.revision = self.revision + 1
  tree.versions, tree.active, tree.revision = versions or tree.versions, active or tree.active, self.revision
  replace(self, index, text_of(self, tree, tree.revision, index - 1))
  local has = {}
  for _, version in ipairs(tree.versions) do has[version] = true end
  self.list[#self.list + 1] = {
    tree = index, revision = tree.revision, at = system.gettime(), active = tree.active, versions = has,
  }
end

local TORN = { "lacks a step", "    :step%({ slug = last.-    end%)\n(.-), %[last%] = \"swap\"", "%1" }
-- What must be refused: by the load, or by the deployment.
local DEFECTS = {
  { "does not compile", "return luaflow%.worker", "end return luaflow.worker" },
  { "raises half-way", "return luaflow%.worker", "error 'half-way' return luaflow.worker" },
  { "has another shape", 'slug = "first" }', 'slug = "first", when_exhausted = "skip" }' },
  TORN,
}

local function spoilt(self, index, defect, versions, active)
  local tree = self.trees[index]
  local like = { versions = versions or tree.versions, active = active or tree.active }
  local text, count = text_of(self, like, -tree.revision, index - 1):gsub(defect[2], defect[3])
  assert(count == 1, defect[1])
  return text
end

--- Puts a bad file there, whose revision is negative. Returns what is wrong with it.
---@param index integer
---@param choice integer
---@return string
function methods:spoil(index, choice)
  local defect = DEFECTS[choice % #DEFECTS + 1]
  replace(self, index, spoilt(self, index, defect))
  return defect[1]
end

--- Writes such files as `write` would, up to a point at which they load: a version lacks a step.
---@param index integer
---@param versions integer[]
---@param active integer
function methods:tear(index, versions, active)
  replace(self, index, spoilt(self, index, TORN, versions, active))
end

local LOADS = 10 -- seconds after new files within which a deployment of those before can still end

-- The file of a tree that was complete at that time, and those that were within the time of a load before.
local function is_of_then(list, i, at)
  local release = list[i]
  if release.at > at then return false end
  for j = i + 1, #list do
    if list[j].tree == release.tree then return list[j].at + LOADS >= at end
  end
  return true
end

--- The activations that no files order: an alias moves to a version that the files have as the active one, and to one that was active
--- before only by files that also have the version which it leaves.
---@param list chaos.Release[]
---@param activations { origin: any, target: string, at: number }[] in order
---@return string[]
function releases.unfounded(list, activations)
  local was_active, unfounded = {}, {}
  for _, each in ipairs(activations) do
    local origin, target = tonumber((tostring(each.origin):match "%d+$")), tonumber(each.target:match "%d+$")
    local founded = false
    for i, release in ipairs(list) do
      local may = release.active == target and (not was_active[target] or release.versions[origin])
      founded = founded or may and is_of_then(list, i, each.at)
    end
    if not founded then unfounded[#unfounded + 1] = ("%s -> %s"):format(tostring(each.origin), each.target) end
    was_active[target] = true
  end
  return unfounded
end

return releases
