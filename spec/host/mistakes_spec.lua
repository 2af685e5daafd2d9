-- What users get wrong in handlers and in definitions, with the whole message of each: file, line, reason and remedy.
local cjson = require "cjson"
local flows = require "spec.support.flows"
local http_server = require "spec.support.http_server"
local mistakes = require "spec.support.mistakes"
local process = require "spec.support.process"
local scene = require "spec.support.scene"

-- A flow with a step for each mistake, whose handler is on one line: of number N on line N + 2.
local function handlers_source()
  local lines = {
    'local http, luaflow = require "luaflow.http", require "luaflow"', 'return luaflow.flow { slug = "mistakes", max_attempts = 1 }',
  }
  for i, mistake in ipairs(mistakes.HANDLERS) do
    lines[#lines + 1] = ('  :step({ slug = "m%d", when_exhausted = "skip" }, function(order, ctx) %s end)'):format(i, mistake[1])
  end
  return table.concat(lines, "\n")
end

local ORDER = [[{"id": 7, "n": 3, "name": "Ada", "vip": null, "url": "%s", "lines": [{"sku": "a", "qty": 2, "price": null}]}]]

-- The mistakes whose message is another than the table has, one after the other.
local function differences(list, messages)
  local found = {}
  for i, mistake in ipairs(list) do
    local told = messages[i] or "nothing"
    if told ~= mistake[2] then
      found[#found + 1] = ("%d. %s\n   said: %s\n   not:  %s"):format(i, mistake[1], told, tostring(mistake[2]))
    end
  end
  return table.concat(found, "\n")
end

describe("what is said of mistakes", function()
  it("in handlers", function()
    local server = http_server.open()
    local here = scene.open { ["flows/mistakes.lua"] = handlers_source() }
    here:worker { args = { "--queue", "mistakes", "--executors", "1", "--max-output", "1MB", "--handler-connections", "10" } }
    here.db:complete("mistakes", ORDER:format(server.url), 120)
    local messages = {}
    for _, row in ipairs(here.db:rows [[
      select substr(t.step_slug, 2)::int as number, coalesce(t.error_message, t.status) as message from pgflow.step_tasks t]]) do
      -- What differs from run to run is left out.
      messages[row.number] = row.message:gsub("flows/mistakes%.lua:" .. row.number + 2 .. ":", "HERE:")
        :gsub(server.url:gsub("%p", "%%%0"), "URL"):gsub("after %d+ ms", "after N ms")
    end
    here:close()
    server:close()
    assert.equal("", differences(mistakes.HANDLERS, messages))
  end)

  it("in definitions", function()
    local sources = {}
    for i, mistake in ipairs(mistakes.DEFINITIONS) do
      sources[("flows/m%02d.lua"):format(i)] = 'local luaflow = require "luaflow"\nlocal function f() return 1 end\n' .. mistake[1] .. "\n"
    end
    local root = flows.root(sources)
    local result = process.run { argv = { process.luaflow(), "check", "flows", "--json" }, cwd = root.path, seconds = 120 }
    local messages = {}
    for _, problem in ipairs(cjson.decode(result.out).problems) do
      local i = tonumber(problem.file:match "m(%d+)%.lua$")
      local hint = problem.hint ~= cjson.null and problem.hint and (" (%s)"):format(problem.hint) or ""
      local line = ("%s: [%s] %s%s"):format(tostring(problem.line), problem.code, problem.message, hint)
      line = line:gsub(root.path:gsub("%p", "%%%0"), "ROOT"):gsub("flows/m%d+", "FILE")
      messages[i] = messages[i] and messages[i] .. "\n" .. line or line
    end
    root:remove()
    assert.equal("", differences(mistakes.DEFINITIONS, messages))
  end)
end)
