-- The words of the command line.
local schedule = require "tools.lib.chaos.schedule"

local options = {}

local NUMBERS = { minutes = 10, seed = 1, workers = 3, rate = 6 }
local TEXTS = { flow = true, start = true, input = true }
local KINDS = { faults = true, without = true }
local FLAGS = { swaps = true }
local NOT_OF_SWAPS = { "workers", "flow", "faults", "without" }

local function fail(message)
  io.stderr:write("chaos: ", message, "\n")
  os.exit(2)
end

-- A set of kinds of faults.
local function kinds(name, value)
  local set = {}
  for kind in value:gmatch "[^,]+" do
    if not schedule.KINDS[kind] then
      local all = {}
      for known in pairs(schedule.KINDS) do all[#all + 1] = known end
      table.sort(all)
      fail(("--%s names no kind of fault: %s; there are %s"):format(name, kind, table.concat(all, ", ")))
    end
    set[kind] = true
  end
  if not next(set) then fail(("--%s names no kind of fault"):format(name)) end
  return set
end

local function number(name, value)
  local given = tonumber(value)
  return given and given > 0 and given or fail(("--%s takes a number above 0"):format(name))
end

--- Reads the words; ends the program with 2 where one is wrong.
---@param words string[]
---@return { minutes: number, seed: number, workers: number, rate: number, flow: string?, start: string?,
---   input: string?, faults: table<string, true>?, without: table<string, true>?, swaps: true? }
function options.read(words)
  local given = {}
  for name, default in pairs(NUMBERS) do given[name] = default end
  local at, named = 1, {}
  while words[at] do
    local name, value = (words[at]:match "^%-%-(%a+)$"), words[at + 1]
    if not (NUMBERS[name] or TEXTS[name] or KINDS[name] or FLAGS[name]) then
      fail(("unknown word %s; see tools/chaos --help"):format(words[at]))
    end
    if not (value or FLAGS[name]) then fail(("--%s needs a value"):format(name)) end
    given[name] = FLAGS[name] or NUMBERS[name] and number(name, value) or KINDS[name] and kinds(name, value) or value
    named[name] = true
    at = at + (FLAGS[name] and 1 or 2)
  end
  for _, name in ipairs(given.swaps and NOT_OF_SWAPS or {}) do
    if named[name] then fail(("--swaps and --%s do not go together"):format(name)) end
  end
  if (given.flow == nil) ~= (given.start == nil) then fail "--flow and --start go together" end
  return given
end

return options
