local luaflow = require "luaflow"

local function raised(fn)
  local ok, message = pcall(fn)
  assert.is_false(ok)
  return message
end

describe("a name that the library has not", function()
  it("is an error at the line that reads it, with what was meant", function()
    for _, case in ipairs {
      { function() luaflow.fial "x" end, 'luaflow has no fial: did you mean "fail"?' },
      { function() luaflow.retry(5) end, "luaflow has no retry: did you mean luaflow.retry_after(seconds, message)?" },
      { function() luaflow.http.get "x" end, 'luaflow has no http: it is a module of its own: require "luaflow.http"' },
      { function() require "luaflow.http".get "x" end,
        'luaflow.http has no get: use http.request{ method = "GET", url = ... }' },
      { function() require "luaflow.http".requst {} end, 'luaflow.http has no requst: did you mean "request"?' },
      { function() luaflow.json.parse "x" end, "luaflow.json has no parse: it has decode, encode" },
      { function() luaflow.fale = print end,
        "luaflow is read-only: fale cannot be set; keep it in a local or in a module of your own" },
      { function() luaflow.json.decode = print end,
        "luaflow.json is read-only: decode cannot be set; keep it in a local or in a module of your own" },
    } do
      local message = raised(case[1])
      assert.truthy(message:find("^spec/unit/luaflow/strict_spec.lua:%d+: "), message)
      assert.same(case[2], (message:gsub("^.-:%d+: ", "")))
    end
  end)

  it("is told where a colon gave the module for the first argument", function()
    for _, case in ipairs {
      { function() return (luaflow:is_null(1)) end, "luaflow.is_null(value)" },
      { function() return (luaflow:get({}, "a", 1)) end, "luaflow.get(value)" },
      { function() luaflow:fail "no" end, "luaflow.fail(message)" },
      { function() return luaflow:flow { slug = "x" } end, "luaflow.flow(opts)" },
      { function() return (luaflow.json:decode "{}") end, "luaflow.json.decode(text)" },
      { function() return (require "luaflow.http":request {}) end, "luaflow.http.request(options)" },
      { function() return (require "luaflow.testing":run()) end, "luaflow.testing.run(flow, input, opts)" },
    } do
      assert.equal("call it with a dot: " .. case[2], (raised(case[1]):gsub("^spec/unit/luaflow/strict_spec.lua:%d+: ", "")))
    end
  end)

  it("lists what there is if nothing is near", function()
    assert.truthy(raised(function() return luaflow.zzzzzz end):find "luaflow has no zzzzzz: it has array, base64, ")
  end)
end)
