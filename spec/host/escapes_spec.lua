-- Text from elsewhere steers no terminal, whichever way it takes to standard output or standard error.
local cjson = require "cjson"
local scene = require "spec.support.scene"

local STEER = "\27[31mred\194\155K\127" -- by ESC, by the C1 control CSI, DEL

local LOUD = [[
local luaflow = require "luaflow"
print "loaded \27[31mred"
return luaflow.flow { slug = "loud" }
  :step({ slug = "prints" }, function() print "printed \27[31mred" io.stderr:write "err \27[31mred\n" return "\194\155K\127" end)
  :step({ slug = "raises", depends_on = { "prints" } }, function() luaflow.fail "raised \27[31mred" end)
]]

local FAILING = 'error("load \\27[31mred\\194\\155K\\127")'
local NAMED = 'return require "luaflow".flow { slug = "a\\27[31mred" }:step({ slug = "b\\27[31m" }, function() end)'

describe("text that steers a terminal", function()
  local here

  setup(function()
    here = scene.open {
      ["flows/loud.lua"] = LOUD, ["broken/failing.lua"] = FAILING, ["broken/named.lua"] = NAMED,
      ["broken/file\27[31mred.lua"] = "x = = 1", ["script.lua"] = 'error("script \\27[31mred")',
    }
  end)

  teardown(function() here:close() end)

  -- The output of a command that must end with this code and name this text, without a character that steers.
  local function clean(code, part, ...)
    local result = here:luaflow { ... }
    local all = result.out .. result.err
    assert.equal(code, result.code, all)
    assert.truthy(all:find(part, 1, true), all)
    assert.is_nil(all:find "[%z\1-\8\11-\31\127]" or all:find "\194[\128-\159]", ("%q"):format(all))
    return result.out
  end

  it("is cleaned in a load's errors, prints, names and files", function()
    for _, command in ipairs { "check", "worker" } do
      clean(3, "load  [31mred", command, "broken")
      clean(3, "file [31mred.lua", command, "broken")
      clean(3, "[31mred", command, "broken/named.lua")
    end
    clean(3, "load  [31mred", "types", "broken", "-o", "types")
    clean(3, "load  [31mred", "try", "broken/failing.lua", "step")
    clean(0, "loaded", "check", "flows")
    clean(1, "script  [31mred", "lua", "script.lua")
  end)

  it("is cleaned in what a handler prints, raises and returns, and the value stays the same", function()
    clean(0, "printed", "try", "flows/loud.lua", "prints")
    clean(1, "raised", "try", "flows/loud.lua", "raises")
    assert.equal("\194\155K\127", cjson.decode("[" .. clean(0, "\\u009bK", "try", "flows/loud.lua", "prints") .. "]")[1])
    local worker = here:worker()
    clean(1, "raised", "start", "loud", "{}", "--wait")
    local run_id = here.db:text "select r.run_id from pgflow.runs r"
    clean(0, "raised", "run", run_id)
    clean(0, "\\u009bK", "run", run_id, "--json")
    clean(0, "raised", "runs")
    local text = worker.process:errors()
    assert.is_nil(text:find "[%z\1-\8\11-\31\127]" or text:find "\194[\128-\159]", text)
  end)

  it("is cleaned in arguments, and in what the server says of them", function()
    clean(1, "there is no", "start", STEER)
    clean(2, "unknown command", STEER)
    clean(2, "unknown", "start", "--" .. STEER)
    clean(6, "does not exist", "runs", "--database", here.db.conninfo .. " dbname='" .. STEER .. "'")
  end)
end)
