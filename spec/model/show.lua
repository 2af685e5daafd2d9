-- A finding for people: the flow as its author would write it, what its claims met, what was reported, and the differences.
local host = require "luaflow.host"
local luaflow = require "luaflow"

local show = {}

local function json(value)
  if value == nil then value = luaflow.null end
  return assert(host.encode(value))
end

local OPTIONS = { "max_attempts", "base_delay", "timeout", "start_delay", "only_if", "unless", "when_unmet", "when_exhausted",
  "when_element_exhausted" }

local function list_of(slugs)
  local quoted = {}
  for i, slug in ipairs(slugs) do quoted[i] = '"' .. slug .. '"' end
  return "{ " .. table.concat(quoted, ", ") .. " }"
end

local function step_line(step)
  local parts = { ('slug = "%s"'):format(step.slug) }
  if step.kind == "map" and step.deps[1] then parts[#parts + 1] = ('array = "%s"'):format(step.deps[1]) end
  if step.kind ~= "map" and step.deps[1] then parts[#parts + 1] = "depends_on = " .. list_of(step.deps) end
  for _, name in ipairs(OPTIONS) do
    if step.options[name] ~= nil then parts[#parts + 1] = name .. " = " .. json(step.options[name]) end
  end
  return ("  :%s({ %s }) -- queue %d"):format(step.kind, table.concat(parts, ", "), step.queue)
end

local ENTRY = { "output", "message", "delay", "permanent", "free" }

local function entry_line(entry)
  local parts = {}
  for _, name in ipairs(ENTRY) do
    local value = entry[name]
    if value ~= nil and value ~= false and (name == "output") == (entry.kind == "complete") and entry.kind ~= "release" then
      parts[#parts + 1] = name .. " " .. (name == "output" and value or json(value))
    end
  end
  return ("    %s %s[%d] claim %d: %s -> %s"):format(
    entry.kind, entry.step_slug, entry.task_index, entry.claim_no, table.concat(parts, ", "), tostring(entry.answer))
end

local function add_run(lines, run)
  lines[#lines + 1] = "run with input " .. json(run.input)
  for _, batch in ipairs(run.batches) do
    lines[#lines + 1] = ("  batch %d: %s"):format(batch.batch, batch.kind .. (batch.reason and " " .. json(batch.reason) or ""))
    for _, entry in ipairs(batch.entries or {}) do lines[#lines + 1] = entry_line(entry) end
  end
end

--- The text of a finding.
---@param finding model.Finding
---@return string
function show.finding(finding)
  local case, lines = finding.case, {}
  lines[1] = ("seed %d:"):format(case.seed)
  lines[2] = ('luaflow.flow { slug = "%s", max_attempts = %d, base_delay = %d }'):format(
    case.slug, case.options.max_attempts, case.options.base_delay)
  for _, step in ipairs(case.steps) do lines[#lines + 1] = step_line(step) end
  if finding.crowd then
    lines[#lines + 1] = ("only together with the %d seeds from this one on"):format(finding.crowd)
  elseif finding.run then
    add_run(lines, finding.run)
  else
    for _, run in ipairs(case.runs) do lines[#lines + 1] = "run with input " .. json(run.input) end
  end
  for _, difference in ipairs(finding.differences) do lines[#lines + 1] = "  DIFFERS " .. difference end
  return table.concat(lines, "\n")
end

return show
