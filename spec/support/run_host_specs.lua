-- Runs the host specs under `luaflow lua`: luaflow lua spec/support/run_host_specs.lua [OPTION of busted...] [PATH...].
-- Without a path all of spec/host, without --output as TAP. The exit code is 0 only if every spec passed.
local given = { select(2, ...) } -- the first is the context

local function has(pattern)
  for _, word in ipairs(given) do
    if word:find(pattern) then return true end
  end
  return false
end

local words = { [0] = arg[0], "--config-file=spec/support/host_busted.lua", "--helper=spec/support/host_helper.lua", "--sort-files" }
if not has "^%-%-output" and not has "^%-o" then words[#words + 1] = "--output=TAP" end
for _, word in ipairs(given) do words[#words + 1] = word end
if not has "^[^-]" then words[#words + 1] = "spec/host" end
arg = words -- luacheck: ignore 121 122 (busted reads it)

-- From a chunk without a file busted ends with its exit code instead of an error.
local run = loadstring("local options = ... require('busted.runner')(options) return true", "=busted")
run { standalone = false }
