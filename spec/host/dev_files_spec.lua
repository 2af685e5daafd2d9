-- `luaflow dev` after its files have changed in every way: they are the truth, and the next save just works.
local cjson = require "cjson"
local database = require "spec.support.database"
local flows = require "spec.support.flows"
local process = require "spec.support.process"
local wait = require "spec.support.wait"

-- A flow of one step, whose output is the text; options are those of luaflow.deploy.
local function flow(slug, text, options, handler)
  return ([[
local luaflow = require "luaflow"
local flow = luaflow.flow { slug = "%s" }:step({ slug = "only" }, %s)
return luaflow.deploy(flow, %s)
]]):format(slug, handler or ('function() return "%s" end'):format(text), options or "{}")
end

local SLOW = "function(_, ctx) ctx:sleep(600) end"
local ON_SHARED = '{ routes = { only = "shared" } }'

describe("the files of luaflow dev", function()
  local root, dev, folder

  setup(function()
    root = flows.root {
      [".luaflow-root"] = "", ["flows/orders.lua"] = flow("orders", "one"), ["flows/late.lua"] = flow("orders_v2", "two"),
    }
    folder = root:at "data"
  end)

  teardown(function()
    if dev then dev:forget() end
    root:remove()
  end)

  local function options(words)
    local env = { XDG_STATE_HOME = root:at "state", LUAFLOW_LOG_FORMAT = "json" }
    return { argv = { process.luaflow(), unpack(words) }, cwd = root.path, env = env }
  end

  local function run(...) return process.run(options { ... }) end

  local function start_dev()
    dev = process.spawn(options { "dev", "--data", folder })
    wait.till(function()
      if dev:poll() then error("dev has ended:\n" .. dev:errors(), 0) end
      return dev:output():find("luaflow dev is ready", 1, true)
    end, 60, "dev to be ready")
  end

  local function stop_dev()
    dev:signal(process.SIGINT)
    assert.same({ code = 0 }, dev:wait(30))
    dev:assert_gone(10)
    dev:forget()
    dev = nil
  end

  local function save(path, text)
    root:write(path .. "~", text)
    assert(os.rename(root:at(path .. "~"), root:at(path)))
  end

  local function logged(...)
    local text = dev:errors()
    for _, part in ipairs { ... } do
      if not text:find(part, 1, true) then return false end
    end
    return true
  end

  -- Waits until a new run of that name ends with that output.
  local function await_output(name, text)
    wait.till(function()
      local result = run("start", name, "--wait")
      return result.code == 0 and result.out == ('{"only": "%s"}\n'):format(text)
    end, 60, name .. " to give " .. text)
  end

  local function await_refusal(name, ...)
    local parts = { ... }
    wait.till(function()
      local result = run("start", name)
      for _, part in ipairs(parts) do
        if result.code == 0 or not result.err:find(part) then return false end
      end
      return true
    end, 20, name .. " to be refused")
  end

  it("are followed at the next save, in one session, whatever an earlier one left", function()
    start_dev()
    await_output("orders_v2", "two")
    stop_dev()

    -- What had its own alias is a version of another flow now, and the older one is retained.
    os.remove(root:at "flows/late.lua")
    save("flows/orders.lua", (flow("orders", "one"):gsub("return luaflow.deploy%((.-)%)", "return luaflow.retain(luaflow.deploy(%1))")))
    save("flows/orders_v2.lua", flow("orders_v2", "two", '{ alias = "orders" }'))
    start_dev()
    assert.is_true(logged('"verb":"recreating_flow","flow":"orders_v2"', "its runs and their data are deleted",
      "alias: in the modules 'orders', in the database 'orders_v2'"))
    await_output("orders", "two")

    -- A new slug under the alias, the old files gone; what ran is cancelled.
    save("flows/orders_v2.lua", flow("orders_v2", "two", '{ alias = "orders" }', SLOW))
    wait.till(function() return logged '"changes":"flows/orders_v2.lua changed"' end, 20, "the slow handler")
    local slow = cjson.decode(run("start", "orders", "--json").out)
    assert.same({ "orders", "orders_v2" }, { slow.flow_alias, slow.flow_slug })
    os.remove(root:at "flows/orders.lua")
    os.remove(root:at "flows/orders_v2.lua")
    save("flows/orders_v3.lua", flow("orders_v3", "three", '{ alias = "orders" }'))
    await_output("orders", "three")
    local db = database.at((dev:output():match "psql '(.-)'"))
    local function run_of(id) return db:row(("select status, error_message from pgflow.run_status where run_id = '%s'"):format(id)) end
    wait.till(function() return run_of(slow.run_id).status == "cancelled" end, 10, "the run to end")
    assert.equal("no file has it; it was in flows/orders_v2.lua", run_of(slow.run_id).error_message)
    await_refusal("orders_v2", "no file has it since %d%d:%d%d; it was in flows/orders_v2.lua", "luaflow retry")
    assert.is_true(logged('"flow":"orders_v2","status":"retired"', "no file has it; it was in flows/orders_v2.lua"))

    -- An older checkout: what was cancelled can be retried.
    os.remove(root:at "flows/orders_v3.lua")
    save("flows/orders_v2.lua", flow("orders_v2", "two", '{ alias = "orders" }'))
    await_output("orders", "two")
    assert.equal('{"only": "two"}\n', run("retry", slow.run_id, "--wait").out)

    -- Flows on one queue: one is deleted, one renamed.
    save("flows/left.lua", flow("left", "left", ON_SHARED))
    save("flows/right.lua", flow("right", "right", ON_SHARED))
    await_output("right", "right")
    os.remove(root:at "flows/right.lua")
    await_refusal("right", "no file has it since %d%d:%d%d; it was in flows/right.lua")
    await_output("left", "left")
    save("flows/left.lua", flow("left_hand", "renamed", ON_SHARED))
    await_output("left_hand", "renamed")
    await_refusal("left", "no file has it since")

    -- A mended alias; a slug that differs only in case; an alias that was a slug.
    save("flows/greet.lua", flow("greet_v1", "hello", '{ alias = "gret" }'))
    await_output("gret", "hello")
    save("flows/greet.lua", flow("greet_v1", "hello", '{ alias = "greet" }'))
    await_output("greet", "hello")
    await_refusal("gret", "there is no flow or alias 'gret'")
    save("flows/left.lua", flow("Left_Hand", "again", ON_SHARED))
    await_output("Left_Hand", "again")
    assert.is_true(logged('"verb":"deleting_flow","flow":"left_hand"', "in the way of flow Left_Hand: its runs and their data are deleted"))
    save("flows/greet.lua", flow("greet_v9", "nine", '{ alias = "greet_v1" }'))
    await_output("greet_v1", "nine")

    -- Two flows swap their queues.
    save("flows/a.lua", flow("a", "a", '{ routes = { only = "first" } }'))
    save("flows/b.lua", flow("b", "b", '{ routes = { only = "second" } }'))
    await_output("a", "a")
    await_output("b", "b")
    save("flows/a.lua", flow("a", "a2", '{ routes = { only = "second" } }'))
    save("flows/b.lua", flow("b", "b2", '{ routes = { only = "first" } }'))
    await_output("a", "a2")
    await_output("b", "b2")

    -- A worker whose deployment was committed, but not answered, while another one has deployed newer files.
    db:text [[
      update pgflow.workers set files_digest = 'newer', files_read_till = (select max(w.files_read_till) from pgflow.workers w)
      where queue_name = 'second']]
    db:text "update pgflow.workers set generation = 77 where queue_name = 'first'"
    await_output("b", "b2")
    assert.is_true(logged '"verb":"not_deployed_again"')

    -- A mended handler does not wait for the old delay.
    local BROKEN = 'function() error "broken" end'
    save("flows/c.lua", flow("c", "", "{}", BROKEN))
    local failing = wait.till(function() return run("start", "c").out:match "%S+" end, 20, "the start")
    local function task() return db:row(("select status, attempts_count from pgflow.step_tasks where run_id = '%s'"):format(failing)) end
    wait.till(function() return task().status == "queued" and task().attempts_count == 1 end, 20, "the first attempt to fail")
    db:text "update pgmq.q_c set vt = vt + interval '1 hour'"
    save("flows/c.lua", flow("c", "mended"))
    wait.till(function() return run_of(failing).status == "completed" end, 15, "the retry")
    assert.equal(2, task().attempts_count)

    -- Data that a file reads while it loads.
    root:write("prompts/d.txt", "hello")
    save("flows/d.lua", 'local text = assert(io.open "prompts/d.txt"):read "*a"\n' .. flow("d", "", "{}", "function() return text end"))
    await_output("d", "hello")
    save("prompts/d.txt", "good day")
    await_output("d", "good day")

    -- A worker that cannot start again is started when its file is mended.
    save("flows/c.lua", "return end")
    wait.till(function() return logged '"verb":"reload_refused"' end, 20, "the broken file")
    for _, pid in ipairs(dev:living()) do
      local file = io.open(("/proc/%d/cmdline"):format(pid))
      local words = file and file:read "*a" or ""
      if file then file:close() end
      if words:find "%zworker%z" then assert.equal(0, os.execute("kill -9 " .. pid)) end
    end
    wait.till(function() return select(2, dev:errors():gsub('"restart_in_ms":[78]%d%d%d', "")) > 0 end, 30, "a longer pause")
    save("flows/c.lua", flow("c", "last"))
    wait.till(function() return logged '"verb":"starting_again"' end, 7, "a start before the pause is over")
    await_output("c", "last")
    assert.is_true(logged '"verb":"worker_died"')
    assert.same({}, db:rows "select * from pgflow.check_invariants(true)")
    stop_dev()
  end)
end)
