-- Runs a command and returns what it printed.
local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

local MODULES = {}
for name in output_of("find lua/luaflow -name '*.lua' | sort"):gmatch "lua/luaflow/(%S+)%.lua" do
  MODULES[#MODULES + 1] = name:gsub("/", ".")
end

describe("every module", function()
  it("loads by itself in plain LuaJIT and leaves no global behind", function()
    local script = [[
      package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
      setmetatable(_G, { __newindex = function(_, name) error("new global " .. name, 2) end })
      assert(require "MODULE" ~= true)
      io.write "good"
    ]]
    for _, name in ipairs(MODULES) do
      local named = script:gsub("MODULE", "luaflow." .. name)
      assert.same("good", output_of(("luajit -e '%s'"):format(named)))
    end
  end)

  it("is found", function()
    assert.is_true(#MODULES > 20)
  end)
end)

describe("outside a task", function()
  it("what needs the host says so", function()
    local host = require "luaflow.host"
    for _, name in ipairs { "now", "sleep", "flow_input", "stopping", "log" } do
      local ok, message = pcall(host[name])
      assert.is_false(ok)
      assert.truthy(message:find("luaflow: " .. name .. " works only inside a task", 1, true))
    end
  end)
end)
