-- The words of the command line.
local options = {}

local NUMBERS = { minutes = 10, seed = 1, workers = 3, rate = 6 }
local TEXTS = { flow = true, start = true, input = true, without = true }

local function fail(message)
  io.stderr:write("chaos: ", message, "\n")
  os.exit(2)
end

--- Reads the words; ends the program with 2 where one is wrong.
---@param words string[]
---@return { minutes: number, seed: number, workers: number, rate: number, flow: string?, start: string?, input: string?,
---   without: string? }
function options.read(words)
  local given = {}
  for name, default in pairs(NUMBERS) do given[name] = default end
  local at = 1
  while words[at] do
    local name, value = (words[at]:match "^%-%-(%a+)$"), words[at + 1]
    if not NUMBERS[name] and not TEXTS[name] then fail(("unknown word %s; see tools/chaos --help"):format(words[at])) end
    if not value then fail(("--%s needs a value"):format(name)) end
    given[name] = NUMBERS[name] and tonumber(value) or value
    if NUMBERS[name] and not (tonumber(value) and tonumber(value) > 0) then fail(("--%s takes a number above 0"):format(name)) end
    at = at + 2
  end
  if (given.flow == nil) ~= (given.start == nil) then fail "--flow and --start go together" end
  return given
end

return options
