-- Files that change under a watching worker: what is written in part never becomes a version; new versions wait for
-- `luaflow reload`, SIGHUP or a restart.
local cjson = require "cjson"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- Both versions are on the queue that is named like the second one, whose steps need no routes then.
local WORKER = [[
local luaflow, routes = require "luaflow", {}
for n = 1, 6 do routes["s" .. n] = "orders_v2" end
local retain, v1 = luaflow.retain, luaflow.deploy(require "parts.orders", { routes = routes })
%s
return luaflow.worker { queue = "orders_v2", flows = { %s } }
]]
local OLD = WORKER:format("", "v1")
local NEW = WORKER:format('local v2 = luaflow.deploy(require "parts.orders_v2", { alias = "orders" })', "retain(v1), v2")
local STEPS = 6

-- A flow in lines of 100 bytes: from the third one on, what ends with a line is a flow.
local function flow(slug, result)
  local lines = { 'local luaflow = require "luaflow"', ('return luaflow.flow { slug = "%s" }'):format(slug) }
  for n = 1, STEPS do lines[#lines + 1] = ('  :step({ slug = "s%d" }, function() return "%s" end)'):format(n, result) end
  for n, line in ipairs(lines) do lines[n] = line .. " --" .. ("."):rep(96 - #line) .. "\n" end
  return table.concat(lines)
end

describe("a watched file", function()
  local here, host

  before_each(function()
    here = scene.open { ["main.lua"] = OLD, ["parts/orders.lua"] = flow("orders", "one") }
  end)

  after_each(function() here:close() end)

  local function start(...)
    host = here:worker { paths = { "main.lua" }, args = { "--watch", "--executors", "1", ... } }
    return host
  end

  -- Writes the file a hundred bytes at a time.
  local function write_slowly(path, text, pause, look)
    for last = 100, #text, 100 do
      here.root:write(path, text:sub(1, last))
      wait.pause(pause)
      look()
    end
  end

  local function rename_over(path, text)
    here.root:write(path .. "~", text)
    assert(os.rename(here.root:at(path .. "~"), here.root:at(path)))
  end

  local function stored()
    return here.db:number "select count(*) from pgflow.flows f where f.flow_slug = 'orders_v2'"
  end

  local function active()
    return here.db:row("select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = 'orders'").active_flow_slug
  end

  local function await_held_back(worker, n)
    return wait.till(function() return worker:log "held_back"[n or 1] end, 20, "a version held back")
  end

  it("does not become a version, however long its writer pauses, until somebody orders it", function()
    start("--watch-settle", "20ms")
    rename_over("main.lua", NEW)
    write_slowly("parts/orders_v2.lua", flow("orders_v2", "two"), 0.15, function()
      assert.equal(0, stored())
      assert.equal("orders", active())
    end)
    local line = await_held_back(host)
    assert.equal("orders_v2", line.flow)
    assert.equal("it is a new version, which a watched change does not bring", line.message)
    wait.till(function()
      return (here:succeed "workers"):find("the files have more than was deployed: orders_v2: it is a new version", 1, true)
    end, 10, "luaflow workers to say so")
    assert.truthy(here:succeed "doctor":find("once the files are complete: luaflow reload orders_v2", 1, true))
    assert.equal("one", here.db:complete("orders", "{}").output.s6)
    assert.equal(0, stored())

    local out, told = here:succeed("reload", "orders_v2")
    assert.truthy(out:find("reloaded: generation %d+"), out)
    assert.truthy(told:find "^luaflow: alias orders: orders %-> orders_v2, by worker %S+ of queue orders_v2\n$", told)
    assert.equal("orders_v2", active())
    assert.equal(STEPS, here.db:number "select count(*) from pgflow.steps s where s.flow_slug = 'orders_v2'")
    assert.equal("two", here.db:complete("orders", "{}").output.s6)
    wait.till(function() return not here:succeed("workers", "--json"):find "held_back" end, 10, "nothing held back")
  end)

  it("moves no alias between versions that exist, and takes their code and runtime options", function()
    rename_over("parts/orders_v2.lua", flow("orders_v2", "two"))
    rename_over("main.lua", NEW)
    start("--watch-settle", "20ms")
    assert.equal("orders_v2", active())
    rename_over("main.lua", (NEW:gsub("retain%(v1%), v2", "v1, retain(v2)")))
    assert.equal("alias orders stays at orders_v2: a watched change does not move it", await_held_back(host).message)
    rename_over("parts/orders_v2.lua", (flow("orders_v2", "three"):gsub('slug = "s1"', 'slug = "s1", timeout = 7', 1)))
    wait.till(function() return here.db:complete("orders", "{}").output.s6 == "three" end, 20, "the new code")
    assert.equal(7, here.db:number "select s.opt_timeout from pgflow.steps s where s.flow_slug = 'orders_v2' and s.step_slug = 's1'")
    assert.equal("orders_v2", active())
    host.process:signal(process.SIGHUP)
    wait.till(function() return active() == "orders" end, 20, "the rollback that was ordered")
    assert.equal("one", here.db:complete("orders", "{}").output.s6)
  end)

  it("is only read once all were unchanged for --watch-settle", function()
    start()
    local text = flow("orders", "four")
    write_slowly("parts/orders.lua", text, 0.1, function() assert.same({}, host:log "reloaded") end)
    wait.till(function() return host:log "reloaded"[1] end, 20, "the reload")
    assert.same({}, host:log "reload_refused")
    assert.equal("four", here.db:complete("orders", "{}").output.s6)
  end)

  it("does not stop a replica whose held-back version another one has brought", function()
    local first, second = start("--watch-settle", "20ms"), start("--watch-settle", "20ms")
    rename_over("parts/orders_v2.lua", flow("orders_v2", "two"))
    rename_over("main.lua", NEW)
    await_held_back(first)
    await_held_back(second)
    local reloads = #second:log "reloaded"
    first.process:signal(process.SIGHUP)
    wait.till(function() return active() == "orders_v2" end, 20, "the ordered version")
    for _ = 1, 20 do assert.equal("two", here.db:complete("orders", "{}").output.s6) end
    wait.till(function() return #second:log "reloaded" > reloads end, 20, "the replica to take it too")
    assert.is_nil(second.process:poll())
  end)
end)

describe("luaflow reload", function()
  local here, host

  before_each(function()
    here = scene.open { ["main.lua"] = OLD, ["parts/orders.lua"] = flow("orders", "one") }
    host = here:worker { paths = { "main.lua" }, args = { "--executors", "1" } }
  end)

  after_each(function() here:close() end)

  it("shows the answer of each worker", function()
    here:worker { paths = { "main.lua" }, args = { "--executors", "1" } }
    local all = cjson.decode((here:succeed("reload", "--json")))
    assert.equal(2, #all)
    for _, each in ipairs(all) do
      assert.equal("reloaded", each.answer)
      assert.equal(2, each.generation)
      assert.equal("orders_v2", each.queue_name)
    end
    here.root:write("parts/orders.lua", (flow("orders", "two"):gsub('slug = "s6"', 'slug = "s6", depends_on = { "s1" }')))
    local refused = here:luaflow { "reload", "orders_v2" }
    assert.equal(1, refused.code)
    assert.truthy(refused.out:find("refused, generation 2 still serves: deploy: refused, nothing was changed", 1, true), refused.out)
    assert.truthy(refused.err:find("reload: 2 of 2 workers did not reload", 1, true), refused.err)
  end)

  it("does not wait for ever, and names what is unknown", function()
    host.process:signal(process.SIGSTOP)
    local silent = here:luaflow { "reload", "--timeout", "2500ms" }
    host.process:signal(process.SIGCONT)
    assert.equal(1, silent.code)
    assert.truthy(silent.out:find("no answer yet", 1, true), silent.out)
    assert.truthy(silent.err:find("1 gave no answer within 2.5 s (--timeout) and may still reload", 1, true), silent.err)
    assert.truthy(silent.err:find("luaflow: waiting for 1 of 1 worker, at most 2.5 s (--timeout)\n", 1, true), silent.err)
    wait.till(function() return host:log "reloaded"[1] end, 20, "the reload afterwards")
    assert.equal(1, #host:log "reload_requested")

    local unknown = here:luaflow { "reload", "ordres" }
    assert.equal(1, unknown.code)
    assert.truthy(unknown.err:find("there is no queue ordres", 1, true), unknown.err)
    host:stop()
    local nobody = here:luaflow { "reload", "orders_v2" }
    assert.equal(1, nobody.code)
    assert.truthy(nobody.err:find("there is no live worker of these queues", 1, true), nobody.err)
  end)
end)
