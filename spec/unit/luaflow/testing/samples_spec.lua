-- testing.save_samples: what tests ran, for `luaflow types --samples`.
local cjson = require "cjson"
local luaflow = require "luaflow"
local testing = require "luaflow.testing"

local flow = luaflow.flow { slug = "f" }
  :map({ slug = "each" }, function(item) return { n = item.n } end)
  :step({ slug = "sum", depends_on = { "each" } }, function(deps) return #deps.each end)

describe("testing.save_samples", function()
  local path

  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)

  local function saved(...)
    testing.save_samples(path, { ... })
    local file = assert(io.open(path))
    local text = file:read "*a"
    file:close()
    return cjson.decode(text)
  end

  it("keeps the inputs of runs and the outputs of tasks that completed", function()
    local failed = testing.run(flow, { { n = 9 } }, { handlers = { each = function() luaflow.fail "no" end } })
    local found = saved(testing.run(flow, { { n = 1 }, { n = 2 } }), failed)
    table.sort(found.f.outputs.each, function(a, b) return a.n < b.n end)
    assert.same({ f = {
      inputs = { { { n = 1 }, { n = 2 } }, { { n = 9 } } }, outputs = { each = { { n = 1 }, { n = 2 } }, sum = { 2 } },
    } }, found)
  end)

  it("says how it is called, and where it cannot write", function()
    local result = testing.run(flow, {})
    for _, call in ipairs { { path, result }, { result }, { path } } do
      local ok, message = pcall(testing.save_samples, call[1], call[2])
      assert.same({ false, 'luaflow.testing.save_samples: write save_samples("FILE", { result, ... })' },
        { ok, (message:gsub("^[^ ]*:%d+: ", "", 1)) })
    end
    local ok, message = pcall(testing.save_samples, "/nowhere/at/all", { result })
    assert.is_false(ok)
    assert.truthy(message:find("luaflow.testing.save_samples: /nowhere/at/all: No such file or directory", 1, true), message)
  end)
end)
