-- What editors read of the public API: every function says what it takes, by name.
local context = require "luaflow.context"
local luaflow = require "luaflow"
local options = require "luaflow.options"
local strict = require "luaflow.strict"

local function lines_of(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

-- The block of comments right above a function.
local function comment_above(fn)
  local info = debug.getinfo(fn, "S")
  local lines, block = lines_of(info.source:sub(2)), {}
  local at = info.linedefined - 1
  while lines[at] and lines[at]:find "^%-%-%-" do
    table.insert(block, 1, lines[at])
    at = at - 1
  end
  return table.concat(block, "\n")
end

local function assert_annotated(name, given)
  local fn = strict.original(given)
  local comment = comment_above(fn)
  assert.truthy(comment:find "^%-%-%- %u", name .. " does not say what it does")
  local taken = {}
  for i = 1, debug.getinfo(fn, "u").nparams do
    local parameter = debug.getlocal(fn, i)
    if parameter ~= "self" then
      taken[parameter] = true
      assert.truthy(comment:find("@param " .. parameter .. "%??%s%S"), ("%s: no @param %s"):format(name, parameter))
    end
  end
  for parameter in comment:gmatch "@param ([%w_]+)" do
    assert.truthy(taken[parameter], ("%s: @param %s is none of its parameters"):format(name, parameter))
  end
end

-- The functions of a public module, but for those that are made elsewhere, such as cjson's.
local function assert_module(name)
  local module, count = require(name), 0
  for key, value in pairs(module) do
    if type(value) == "function" then
      assert_annotated(name .. "." .. key, value)
      count = count + 1
    end
  end
  assert.is_true(count > 0)
end

-- The fields of a class, those that it inherits included, as they are annotated in lua/luaflow.
local function fields_of(class, file)
  local lines, fields, inside = lines_of("lua/luaflow/" .. file .. ".lua"), {}, false
  for _, line in ipairs(lines) do
    local name, base = line:match "^%-%-%-@class %(exact%) ([%w_.]+):? ?([%w_.]*)"
    if name then
      inside = name == class
      if inside and base ~= "" then
        for field in pairs(fields_of(base, file)) do fields[field] = true end
      end
    elseif inside and line:find "^%-%-%-@field" then
      fields[line:match "^%-%-%-@field ([%w_]+)"] = true
    elseif not line:find "^%-%-%-" then
      inside = false
    end
  end
  return fields
end

describe("annotations", function()
  it("are above every function of the public modules", function()
    for _, name in ipairs { "luaflow", "luaflow.testing" } do assert_module(name) end
  end)

  it("are above every method of a flow", function()
    local flow = luaflow.flow { slug = "x" }
    for _, name in ipairs { "step", "array", "map" } do assert_annotated("flow:" .. name, flow[name]) end
  end)

  it("are above every method of a context, and every field has one", function()
    local source = table.concat(lines_of "lua/luaflow/context.lua", "\n")
    local ctx = context.new({ env = {} }, { run_id = "x" })
    local methods = 0
    for name in source:gmatch "\nfunction methods:([%w_]+)" do
      assert_annotated("ctx:" .. name, ctx[name])
      methods = methods + 1
    end
    assert.is_true(methods >= 4)
    local class = source:match "%-%-%-@class luaflow%.Context\n(.-)\nlocal methods"
    for name in source:match("local FIELDS = (%b{})"):gmatch '"([%w_]+)"' do
      assert.truthy(class:find("@field " .. name .. " ", 1, true), name)
    end
  end)

  it("have exactly the options that the table of options has", function()
    local classes = {
      flow = { "FlowOptions", "flow" }, step = { "StepOptions", "flow" }, array = { "StepOptions", "flow" },
      map = { "MapOptions", "flow" }, deploy = { "DeployOptions", "deploy" }, worker = { "WorkerOptions", "worker" },
    }
    for call, class in pairs(classes) do
      local wanted = {}
      for _, option in ipairs(options.of(call)) do wanted[option.name] = true end
      assert.same(wanted, fields_of("luaflow." .. class[1], class[2]), call)
    end
  end)
end)
