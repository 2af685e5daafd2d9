local luaflow = require "luaflow"

-- The places of the problems of what a chunk returns, as "line code".
local function lines(source)
  local chunk = assert(loadstring(source, "@flows/written.lua"))
  local _, value = pcall(chunk)
  local list = {}
  for i, problem in ipairs(luaflow.problems(value)) do
    assert.same("flows/written.lua", problem.file)
    list[i] = ("%s %s"):format(tostring(problem.line), problem.code)
  end
  return list
end

describe("the place of a problem", function()
  it("is the line of each call in a chain, the last of which is a tail call", function()
    assert.same({ "3 unknown_option", "4 out_of_range", "5 unknown_dependency", "6 duplicate_slug" }, lines [[
local luaflow = require "luaflow"

return luaflow.flow { slug = "bad", max_attempt = 5 }
  :step({ slug = "a", timeout = 0 }, function() end)
  :step({ slug = "b", depends_on = { "x" } }, function() end)
  :step({ slug = "a" }, function() end)
]])
  end)

  it("of a call over several lines is its first; of a tail call the handler's", function()
    assert.same({ "3 out_of_range", "9 out_of_range" }, lines [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "f" }
  :step({
    slug = "a",
    timeout = 0,
  }, function() end)
  :step({
    slug = "b", timeout = 0,
  }, function()
    return 1
  end)
]])
  end)

  it("is that of the call where it is not a tail call", function()
    assert.same({ "2 missing_option", "4 missing_handler" }, lines [[
local luaflow = require "luaflow"
local flow = luaflow.flow {}
flow =
  flow:step { slug = "a" }
return flow
]])
  end)

  it("of a tail call without a handler is that of the call before it", function()
    assert.same({ "3 missing_handler" }, lines [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "f" }
  :step({ slug = "a" }, function() end)
  :step { slug = "b" }
]])
  end)

  it("is right inside a function, whose caller is not blamed", function()
    assert.same({ "4 out_of_range", "5 out_of_range" }, lines [[
local luaflow = require "luaflow"
local function build(slug)
  return luaflow.flow { slug = slug }
    :step({ slug = "a", timeout = 0 }, function() end)
    :step({ slug = "b", timeout = 0 }, function() end)
end
local flow = build "f"
return flow
]])
  end)

  it("of deploy and worker is the call's", function()
    assert.same({ "3 unknown_step", "4 invalid_queue_name" }, lines [[
local luaflow = require "luaflow"
local flow = luaflow.flow { slug = "f" }:step({ slug = "a" }, function() end)
local deployed = luaflow.deploy(flow, { routes = { b = "q" } })
local worker = luaflow.worker { queue = "Q", flows = { deployed } }
return { worker }
]])
  end)
end)
