-- luaflow lua tools/lib/model/main.lua: see tools/model, which has started the server that LUAFLOW_TEST_DATABASE names.
local compare = require "spec.model.compare"
local show = require "spec.model.show"
local shrink = require "spec.model.shrink"
local wait = require "spec.support.wait"

local SHOWN = 5 -- findings that are shrunk and printed

local NUMBERS = { seeds = true, first = true, seed = true, connections = true }

local function refuse(message)
  io.stderr:write("model: ", message, "\n")
  os.exit(2)
end

local function read_options(words)
  local given = {}
  for at = 1, #words, 2 do
    local name, value = words[at]:match "^%-%-(%a+)$", words[at + 1]
    if not NUMBERS[name] then refuse(("unknown word %s; see tools/model --help"):format(words[at])) end
    local number = tonumber(value)
    if not number or number < 1 or number % 1 ~= 0 then refuse(("--%s takes a whole number above 0"):format(name)) end
    given[name] = number
  end
  if given.seed and (given.seeds or given.first) then refuse "--seed is for one, --seeds and --first are for many" end
  return {
    seeds = given.seed and 1 or given.seeds or 300, first = given.seed or given.first or 1,
    connections = given.connections or (given.seed and 1 or 4),
  }
end

local function say(line, ...)
  io.stdout:write(select("#", ...) > 0 and line:format(...) or line, "\n")
  io.stdout:flush()
end

local options = read_options { select(2, ...) } -- the first is the context
local differences, deadlocks, seen, begun, told = 0, 0, {}, wait.now(), 0
compare.seeds(options, function(verdict, last)
  deadlocks = deadlocks + verdict.deadlocks
  for name, number in pairs(verdict.counts) do seen[name] = (seen[name] or 0) + number end
  for _, finding in ipairs(verdict.findings) do
    differences = differences + 1
    if differences <= SHOWN then say("%s", show.finding(shrink.finding(finding, options.connections))) end
  end
  if wait.now() - begun > 30 * (told + 1) then
    told = math.floor((wait.now() - begun) / 30)
    say("%5d s  to seed %d, %d differences", wait.now() - begun, last, differences)
  end
end)
local counts = {}
for i, name in ipairs { "runs", "completed", "failed", "cancelled", "tasks", "claims", "work", "done", "already", "stale" } do
  counts[i] = ("%s %d"):format(name == "work" and "batches" or name, seen[name] or 0)
end
say("%s; deadlocks %d; %.0f s", table.concat(counts, ", "), deadlocks, wait.now() - begun)
say("%d seeds, %d differences", options.seeds, differences)
os.exit(differences == 0 and deadlocks == 0 and 0 or 1)
