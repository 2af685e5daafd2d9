-- What an engine has noted, sorted by run. Within a batch entries come in the order that the result must equal: completions, failures,
-- releases, each by step_index, task_index and position.
local luaflow = require "luaflow"
local replay = require "spec.model.replay"

local noted = {}

local KINDS = { complete = 1, fail = 2, release = 3 }

-- Rows without nulls: an absent value is nil.
local function plain(row)
  for key, value in pairs(row) do
    if value == luaflow.null then row[key] = nil end
  end
  return row
end

local function step_indexes(case)
  local indexes = {}
  for i, step in ipairs(case.steps) do indexes[step.slug] = i end
  return indexes
end

local function sort_entries(entries, indexes)
  local function position(entry) return KINDS[entry.kind], indexes[entry.step_slug], entry.task_index, entry.n end
  table.sort(entries, function(a, b)
    local a1, a2, a3, a4 = position(a)
    local b1, b2, b3, b4 = position(b)
    if a1 ~= b1 then return a1 < b1 end
    if a2 ~= b2 then return a2 < b2 end
    if a3 ~= b3 then return a3 < b3 end
    return a4 < b4
  end)
end

-- The batches of each run, in their order, each with its entries of that run.
local function add_batches(told, by_id)
  local entries = {}
  for _, entry in ipairs(told.entries) do
    plain(entry)
    local key = entry.batch .. entry.run_id
    entries[key] = entries[key] or {}
    table.insert(entries[key], entry)
  end
  for _, batch in ipairs(told.batches) do
    plain(batch)
    for _, run_id in ipairs(batch.run_ids) do
      local list = entries[batch.batch .. run_id]
      if list then sort_entries(list, by_id[run_id].indexes) end
      table.insert(by_id[run_id].batches, {
        batch = batch.batch, kind = batch.kind, status = batch.status, reason = batch.reason, entries = list,
      })
    end
  end
end

--- The runs of an engine with all that was noted of them.
---@param runs { run_id: string, case: model.Case, run: model.Run }[]
---@param told table see engine.finish
---@return { batches: table[], claims: table<string, table[]>, delays: table<string, table>, row: table, steps: table<string, table>,
---   tasks: table<string, table> }[]
function noted.runs(runs, told)
  local by_id, list = {}, {}
  for i, each in ipairs(runs) do
    list[i] = {
      run_id = each.run_id, case = each.case, input = each.run.input, indexes = step_indexes(each.case),
      batches = {}, claims = {}, delays = {}, row = {}, steps = {}, tasks = {},
    }
    by_id[each.run_id] = list[i]
  end
  add_batches(told, by_id)
  for _, claim in ipairs(told.claims) do
    local claims, name = by_id[claim.run_id].claims, replay.name_of(claim.step_slug, claim.task_index)
    claims[name] = claims[name] or {}
    claims[name][claim.claim_no] = plain(claim)
  end
  for _, row in ipairs(told.delays) do by_id[row.run_id].delays[replay.name_of(row.step_slug, row.task_index)] = row end
  for _, row in ipairs(told.runs) do by_id[row.run_id].row = plain(row) end
  for _, row in ipairs(told.steps) do by_id[row.run_id].steps[row.step_slug] = plain(row) end
  for _, row in ipairs(told.tasks) do by_id[row.run_id].tasks[replay.name_of(row.step_slug, row.task_index)] = plain(row) end
  return list
end

return noted
