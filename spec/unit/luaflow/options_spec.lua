local options = require "luaflow.options"

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

describe("the table of options", function()
  it("is what the author's guide shows", function()
    local guide = read "flows/README.md"
    for _, option in ipairs(options.list) do
      local default = option.required and "needed" or option.default
      local row = ("| `%s` | %s | %s | %s |"):format(option.name, table.concat(option.of, ", "), default, option.meaning)
      assert.truthy(guide:find(row, 1, true), row)
    end
  end)

  it("finds an option by its name", function()
    assert.same("integer", options.find("timeout").type)
    assert.is_nil(options.find "colour")
    assert.is_nil(options.find(1))
  end)
end)

describe("the codes of problems", function()
  it("are all in the author's guide", function()
    local guide = read "flows/README.md"
    for _, name in ipairs { "conflicts", "deploy", "entries", "flow", "load_errors", "loader", "validate", "worker" } do
      local source = read("lua/luaflow/" .. name .. ".lua")
      for quoted in source:gmatch '"([a-z]+_[a-z_]+)"' do
        local is_code = not options.find(quoted)
        if is_code and source:find('report[^\n]*"' .. quoted .. '"') then
          assert.truthy(guide:find("`" .. quoted .. "`", 1, true), quoted)
        end
      end
    end
  end)
end)
