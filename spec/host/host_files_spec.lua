-- spec/support/run_host_files.lua: whatever becomes of a spec file's process, its tests are told, and a failure is a failure.
local files = require "spec.support.files"
local process = require "spec.support.process"

local CASES = {
  good = 'it("is right", function() assert.is_true(true) end)',
  wrong = 'it("is wrong", function() assert.is_true(false) end)',
  ended = 'it("begins", function() end) it("exits", function() os.exit(0) end)',
  crashed = [[it("crashes", function() require("ffi").cast("int *", 0)[0] = 1 end)]],
  broken = "it(",
  empty = "",
}

describe("the runner of the host specs", function()
  -- What it says of spec files of these cases, and its exit code.
  local function run(...)
    local folder = files.temporary_folder()
    for _, name in ipairs { ... } do files.write(("%s/%s_spec.lua"):format(folder, name), CASES[name]) end
    local result = process.run { argv = { process.luaflow(), "lua", "spec/support/run_host_files.lua", folder } }
    files.remove(folder)
    local counted = { ok = 0, ["not ok"] = 0 }
    for line in result.out:gmatch "[^\n]+" do
      local verdict = line:match "^(not ok) " or line:match "^(ok) "
      if verdict then counted[verdict] = counted[verdict] + 1 end
    end
    return { result.code, counted.ok, counted["not ok"] }, result.out
  end

  it("passes where all files pass", function()
    assert.same({ 0, 1, 0 }, (run "good"))
  end)

  for name, passed in pairs { wrong = 0, ended = 1, crashed = 0, broken = 0, empty = 0 } do
    it("fails where one is " .. name, function()
      local counted, out = run("good", name)
      assert.same({ 1, 1 + passed, 1 }, counted, out)
      assert.truthy(out:find("/" .. name .. "_spec.lua", 1, true), out)
    end)
  end
end)
