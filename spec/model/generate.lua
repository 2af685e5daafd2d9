-- Random cases. A case is a flow, described by plain tables so that it can be shrunk, and its runs: each with an input, with
-- the outcomes that the claims of its tasks meet, and perhaps with a cancellation.
local luaflow = require "luaflow"
local random = require "spec.model.random"
local values = require "spec.model.values"

local generate = { OUTCOMES = 7, QUEUES = 3 }

---@class model.Outcome what happens to one claim
---@field kind "complete"|"fail"|"release"
---@field output any of a completion
---@field message string? of a failure
---@field delay number? seconds, of a failure
---@field permanent boolean?
---@field free boolean?
---@field again "same"|"later"|nil reported once more, in the same batch or in a later one
---@field again_kind string? as what

---@class model.Step
---@field slug string
---@field kind "step"|"array"|"map"
---@field deps string[]
---@field queue integer
---@field options table

---@class model.Run
---@field input any
---@field outcomes table<string, model.Outcome[]> by step; the claim_no-th claim of task i meets number (i + 3 (claim_no - 1)) mod 7
---@field cancel { at: integer, reason: string? }? in that round of the one that started it

---@class model.Case
---@field seed integer
---@field slug string
---@field options table
---@field steps model.Step[]
---@field runs model.Run[]

local MODES = { { "fail", 1 }, { "skip", 3 }, { "skip-cascade", 2 } }
local AGAIN = { complete = 0.05, fail = 0.2, release = 0.6 } -- how often something is reported again
local MESSAGES = { "broken", "no such thing", "", "Grüße" }

-- Dependencies of the step at i: one, a few, or everything before it.
local function some_dependencies(rng, steps)
  local deps, wanted = {}, rng:weighted { { 1, 5 }, { 2, 3 }, { 3, 1 }, { #steps, 1 } }
  local rest = {}
  for i, step in ipairs(steps) do rest[i] = step.slug end
  for _ = 1, math.min(wanted, #rest) do deps[#deps + 1] = table.remove(rest, rng:int(1, #rest)) end
  return deps
end

-- What a map reads: mostly what gives an array by nature.
local function array_dependency(rng, steps)
  local arrays = {}
  for _, step in ipairs(steps) do
    if step.kind ~= "step" then arrays[#arrays + 1] = step.slug end
  end
  if #arrays > 0 and rng:chance(0.8) then return rng:pick(arrays) end
  return rng:pick(steps).slug
end

local function step_options(rng, kind)
  local options = {}
  if rng:chance(0.3) then options.max_attempts = rng:int(1, 3) end
  if rng:chance(0.2) then options.base_delay = rng:int(0, 20) end
  if rng:chance(0.1) then options.timeout = rng:int(1, 100) end
  if rng:chance(0.1) then options.start_delay = rng:int(0, 9) end
  if kind == "map" and rng:chance(0.4) then
    options.when_element_exhausted = "null"
  elseif rng:chance(0.8) then
    options.when_exhausted = rng:weighted(MODES)
  end
  return options
end

local function make_steps(rng, root_maps)
  local steps, count = {}, rng:weighted { { rng:int(1, 3), 1 }, { rng:int(3, 8), 3 }, { rng:int(8, 12), 3 } }
  local roots = rng:weighted { { 0.1, 4 }, { 0.4, 2 }, { 0.8, 1 } }
  for i = 1, count do
    local kind = rng:weighted { { "step", 9 }, { "array", 4 }, { "map", 8 } }
    local is_root = i == 1 or rng:chance(roots)
    if kind == "map" and is_root and not root_maps then kind = "array" end
    local deps = {}
    if not is_root then deps = kind == "map" and { array_dependency(rng, steps) } or some_dependencies(rng, steps) end
    if i == count and i > 3 and rng:chance(0.2) then -- a wide join
      kind, deps = "step", {}
      for j, step in ipairs(steps) do deps[j] = step.slug end
    end
    steps[i] = { slug = "s" .. i, kind = kind, deps = deps, queue = rng:int(1, generate.QUEUES), options = step_options(rng, kind) }
  end
  return steps
end

-- Steps whose output a map reads.
local function readers_of(steps)
  local read = {}
  for _, step in ipairs(steps) do
    if step.kind == "map" and step.deps[1] then read[step.deps[1]] = true end
  end
  return read
end

local function map_length(rng)
  return rng:weighted { { 0, 2 }, { 1, 2 }, { rng:int(2, 6), 6 }, { rng:int(7, 20), 3 } }
end

local function make_output(rng, step, is_read)
  if step.kind == "array" and not is_read then return values.array(rng, rng:int(0, 3)) end
  if not is_read or step.kind == "map" then return values.any(rng) end
  if rng:chance(0.015) then return values.scalar(rng) end
  return values.array(rng, map_length(rng))
end

local function make_outcome(rng, step, is_read, failing)
  local outcome = { kind = "complete" }
  if rng:chance(failing) then
    local how = rng:weighted { { "plain", 8 }, { "permanent", 3 }, { "retry_after", 4 }, { "snooze", 3 }, { "release", 3 } }
    outcome.kind = how == "release" and "release" or "fail"
    if how ~= "release" then
      outcome.message = rng:pick(MESSAGES)
      outcome.permanent, outcome.free = how == "permanent", how == "snooze"
      if how == "retry_after" or how == "snooze" then outcome.delay = rng:pick { 0, 0.5, 3, 40, 100000 } end
    end
  end
  if rng:chance(AGAIN[outcome.kind]) then
    outcome.again, outcome.again_kind = rng:pick { "same", "later" }, rng:pick { "complete", "fail", "release" }
  end
  -- A failure carries an output as well, for when it is reported again as a completion.
  outcome.output = make_output(rng, step, is_read)
  if rng:chance(0.5) and outcome.output == luaflow.null then outcome.output = nil end
  outcome.message = outcome.message or rng:pick(MESSAGES)
  return outcome
end

local function is_free(outcome)
  return outcome.kind == "release" or outcome.free
end

local function make_outcomes(rng, steps)
  local outcomes, read = {}, readers_of(steps)
  local failing = rng:weighted { { 0, 2 }, { 0.05, 3 }, { 0.2, 2 }, { 0.6, 1 } }
  for _, step in ipairs(steps) do
    local list = {}
    for n = 1, generate.OUTCOMES do list[n] = make_outcome(rng, step, read[step.slug], failing) end
    while is_free(list[1]) do list[1] = make_outcome(rng, step, read[step.slug], failing) end -- else it might go on for ever
    outcomes[step.slug] = list
  end
  return outcomes
end

local function make_run(rng, steps, root_maps)
  local run = { input = root_maps and values.array(rng, map_length(rng)) or values.any(rng) }
  run.outcomes = make_outcomes(rng, steps)
  if rng:chance(0.12) then
    run.cancel = { at = rng:int(1, 60), reason = rng:chance(0.7) and rng:pick(MESSAGES) or nil }
  end
  return run
end

-- What a step's condition is tested against looks like this in one of the runs.
local function sample_document(rng, run, step, kinds)
  if #step.deps == 0 then return run.input end
  local document = luaflow.object()
  for _, dep in ipairs(step.deps) do
    if rng:chance(0.7) then
      local outcomes = run.outcomes[dep]
      local output = rng:pick(outcomes).output
      if output == nil then output = luaflow.null end
      if kinds[dep] == "map" then output = luaflow.array { output } end
      document[dep] = output
    end
  end
  return document
end

-- An object is never contained in the array that a map or an array step returns, so that no flow may ask for one.
local function part_of_pattern(rng, found, kind)
  local part = values.weaken(rng, found)
  if kind and kind ~= "single" and getmetatable(part) == getmetatable(luaflow.object()) then return luaflow.array() end
  return part
end

-- nil where it would be empty, which is refused.
local function make_pattern(rng, run, step, kinds)
  local document = sample_document(rng, run, step, kinds)
  local pattern = luaflow.object()
  local is_root_map = #step.deps == 0 and step.kind == "map" -- whose input is never an object
  if type(document) ~= "table" or is_root_map then return nil end
  for _, key in ipairs(#step.deps == 0 and values.KEYS or step.deps) do
    if document[key] ~= nil and rng:chance(0.7) then pattern[key] = part_of_pattern(rng, document[key], kinds[key]) end
    if document[key] == nil and rng:chance(0.15) then pattern[key] = luaflow.null end -- which is not the same as absent
  end
  return next(pattern) ~= nil and pattern or nil
end

local function add_conditions(rng, case)
  local kinds = {}
  for _, step in ipairs(case.steps) do
    kinds[step.slug] = step.kind
    if rng:chance(0.22) then
      local which = rng:weighted { { "only_if", 6 }, { "unless", 3 }, { "both", 1 } }
      local run = rng:pick(case.runs)
      local options = step.options
      if which ~= "unless" then options.only_if = make_pattern(rng, run, step, kinds) end
      if which ~= "only_if" then options.unless = make_pattern(rng, run, step, kinds) end
      if rng:chance(0.8) and (options.only_if or options.unless) then options.when_unmet = rng:weighted(MODES) end
    end
  end
end

--- The case of a seed.
---@param seed integer
---@return model.Case
function generate.case(seed)
  local rng = random.new(seed)
  local root_maps = rng:chance(0.35)
  local case = { seed = seed, slug = "m" .. seed, options = { max_attempts = rng:int(1, 3), base_delay = rng:int(0, 9) }, runs = {} }
  case.steps = make_steps(rng, root_maps)
  for i = 1, rng:int(1, 2) do case.runs[i] = make_run(rng, case.steps, root_maps) end
  add_conditions(rng, case)
  return case
end

return generate
