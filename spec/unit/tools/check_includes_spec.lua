-- tools/check-includes enforces the table of rooms in host/README.md.
describe("tools/check-includes", function()
  local copy

  before_each(function()
    copy = os.tmpname()
    os.remove(copy)
    assert(os.execute(("mkdir '%s' && cp -r host '%s/host'"):format(copy, copy)) == 0)
  end)

  after_each(function()
    os.execute(("rm -rf '%s'"):format(copy))
  end)

  local function plant(path, text)
    local file = assert(io.open(copy .. "/" .. path, "a"))
    file:write(text)
    file:close()
  end

  local function check()
    local pipe = io.popen(("tools/check-includes '%s' 2>&1; echo exit $?"):format(copy))
    local output = pipe:read("*a")
    pipe:close()
    return output
  end

  it("prints the rooms and finds nothing in this project", function()
    local output = check()
    assert.matches("worker/pool %(%d+%), ", output)
    assert.matches("%d+ rooms, 0 violations\nexit 0\n$", output)
  end)

  for _, case in ipairs({
    { "base/log.c", '#include "worker/lifecycle.h"' },
    { "base/log.c", '#include "pg/pg.h"' },
    { "base/log.c", "#include <libpq-fe.h>" },
    { "pg/pg.c", "#include <luajit-2.1/lua.h>" },
    { "worker/pool/slot.c", '#include "worker/control/deploy.h"' },
    { "worker/pool/slot.c", '#  include "pg/conninfo.h"' },
    { "worker/handler_sql/handlers.c", '#include "worker/pool/executor_process.h"' },
    { "worker/lifecycle.c", "#include <lauxlib.h>" },
    { "executor/task.c", '#include "worker/pool/task.h"' },
    { "executor/json/json.c", '#include "executor/runtime.h"' },
    { "executor/json/json.c", "#include <curl/curl.h>" },
    { "cli/view/table.c", '#include "cli/commands/commands.h"' },
  }) do
    it(("names %s in %s"):format(case[2], case[1]), function()
      plant("host/" .. case[1], case[2] .. "\n")
      local room = case[1]:match("^(.*)/")
      local header = case[2]:match('["<](.-)[">]')
      local output = check()
      assert.is_truthy(output:find(("host/%s:"):format(case[1]), 1, true), output)
      assert.is_truthy(output:find(("%s: host/%s must not know this\n"):format(header, room), 1, true), output)
      assert.matches(" 1 violations\nexit 1\n$", output)
    end)
  end

  it("names a place that prints by itself", function()
    plant("host/pg/pg.c", 'static void f(void) { fputs("x", stderr); }\n')
    local output = check()
    assert.matches("host/pg/pg.c:%d+: prints by itself, not by base/say\n", output)
    assert.matches(" 1 violations\nexit 1\n$", output)
  end)

  it("names files of the worker that include each other in a circle", function()
    plant("host/worker/control/troubles.h", '#include "worker/control/recovery.h"\n')
    local output = check()
    assert.is_truthy(output:find("host/worker/control/troubles: is in a circle of includes\n", 1, true), output)
    assert.is_truthy(output:find("host/worker/control/recovery: is in a circle of includes\n", 1, true), output)
    assert.matches(" 2 violations\nexit 1\n$", output)
  end)

  it("names a folder without a row, and a row without a folder", function()
    os.execute(("mkdir '%s/host/cellar'"):format(copy))
    plant("host/cellar/wine.c", '#include "base/log.h"\n')
    plant("host/README.md", "\n| `attic` | nothing | nobody |\n")
    local output = check()
    assert.is_truthy(output:find("host/cellar: has no row in the table of rooms", 1, true), output)
    assert.is_truthy(output:find("host/attic: is a row of the table of rooms, and holds no files", 1, true), output)
  end)
end)
