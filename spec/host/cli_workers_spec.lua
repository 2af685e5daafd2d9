-- `luaflow workers` and `luaflow functions`: who runs, in which state, with what in flight; the switches and who may use them.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local assert_says, assert_refused = said.assert_says, said.assert_refused

local FLOW = [[
local luaflow = require "luaflow"
local work = luaflow.flow { slug = "work", timeout = 100 }:step({ slug = "only" }, function(input, ctx)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/begun", "a")
  file:write("x\n")
  file:close()
  ctx:sleep(input.seconds)
end)
return luaflow.worker { queue = "work", name = "packing", flows = { work } }
]]

local WORKER_OPTIONS = { args = { "--executors", "1", "--grace", "3s" } }

describe("luaflow workers and functions", function()
  local here

  before_each(function() here = scene.open { ["flows/work.lua"] = FLOW } end)
  after_each(function() here:close() end)

  local function luaflow(...)
    return here:luaflow { ... }
  end

  local function succeed(...)
    local out, err = here:succeed(...)
    assert.equal("", err)
    return out
  end

  local function workers(...)
    return cjson.decode(succeed("workers", "--json", ...))
  end

  -- A worker with a task in flight that takes that many seconds.
  local function start_busy(seconds)
    local worker = here:worker(WORKER_OPTIONS)
    here.db:start("work", ('{"seconds": %d}'):format(seconds))
    wait.till(function() return #files.lines(here.root:at "begun") == 1 end, 10, "the handler to begin")
    return worker
  end

  it("show a worker from its start to its stop", function()
    assert.equal("", succeed "workers")
    assert.equal("[]\n", succeed("workers", "--json"))
    local worker = start_busy(60)
    local id = worker:log("running")[1].worker
    local line = succeed "workers"
    assert.truthy(line:find("^" .. id:gsub("%-", "%%-") .. "  work  packing  running  1  1  [%d.]+ m?s ago\n$"), line)
    local one = workers()[1]
    assert.same({ id, "work", "packing", "running", 1, 1, cjson.null }, {
      one.worker_id, one.queue_name, one.function_name, one.state, one.generation, one.tasks_in_flight, one.last_reload_error,
    })
    assert.is_true(one.heartbeat_age_ms < 20000)

    here.db:text("update pgflow.workers set deprecated_at = now()")
    assert.equal("draining", workers()[1].state)
    assert.same({ code = 0 }, worker.process:wait(20))
    assert.equal("", succeed "workers")
    assert.same({ "stopped", 0 }, { workers("--all")[1].state, workers("--all")[1].tasks_in_flight })
    assert_says(succeed("workers", "--all"), id, "stopped")
  end)

  it("show a dead worker with what it holds", function()
    local worker = start_busy(60)
    worker.process:kill()
    here.db:text [[
      insert into pgflow.worker_troubles (worker_id, trouble, error) select w.worker_id, 'claim', 'oh' from pgflow.workers w;
      update pgflow.workers set last_heartbeat_at = now() - interval '5 minutes']]
    local line = succeed "workers" -- without what it said when it lived
    assert.truthy(line:find "  dead  1  1  5 min %d+ s ago\n$", line)
    here.db:text "update pgflow.workers set last_heartbeat_at = now() - interval '2 days'"
    assert.equal("", succeed "workers")
    assert.equal("dead", workers("--all")[1].state)
    here.db:text [[
      delete from pgflow.worker_troubles;
      update pgflow.workers
      set last_heartbeat_at = now(), last_reload_error = E'flows/work.lua:3: \x1b[2Jbroken', last_reload_at = now()]]
    assert_says(succeed "workers", "  reload failed: flows/work.lua:3:  [2Jbroken\n")
    here.db:text [[
      update pgflow.workers
      set last_reload_error = E'deploy: refused, nothing was changed\n  work: refused: another shape\n    one\n    two\n  b: x']]
    assert_says(succeed "workers", "  reload failed: deploy: refused, nothing was changed; work: refused: another shape; one; and 2 more\n")
    here.db:text "update pgflow.workers set last_reload_error = E'a.lua:1: x\\nb.lua:2: y'"
    assert_says(succeed "workers", "  reload failed: a.lua:1: x; and 1 more\n")
    here.db:text "select pgflow.cancel_run(r.run_id) from pgflow.runs r"
  end)

  it("list functions and switch them", function()
    assert.equal("", succeed "functions")
    local worker = here:worker(WORKER_OPTIONS)
    assert.equal("packing  enabled  1  work\n", succeed "functions")
    assert.same({
      { function_name = "packing", enabled = true, live_workers = 1, queue_names = { "work" }, in_rollout = false,
        enabled_before_rollout = cjson.null },
    }, cjson.decode(succeed("functions", "--json")))

    local go_on = "workers that run continue until they restart; to stop them too, use luaflow rollout begin\n"
    assert.equal("packing is now disabled\n" .. go_on, succeed("functions", "disable", "packing"))
    assert.is_false(cjson.decode(succeed("functions", "disable", "packing", "--json"))[1].enabled)
    assert.equal("packing was already disabled\n" .. go_on, succeed("functions", "disable", "packing"))
    assert.equal("packing  disabled  1  work\n", succeed "functions")
    assert.is_nil(worker.process:poll())
    worker:stop()
    assert.equal("packing was already disabled\n", succeed("functions", "disable", "packing"))
    assert.equal("packing  disabled  0  work\n", succeed "functions")
    local fenced = here:launch(WORKER_OPTIONS)
    fenced:await_log("fenced", 15)
    assert.equal("packing is now enabled\n", succeed("functions", "enable", "packing"))
    fenced:await_log("running", 15)
  end)

  it("leave the functions of an open rollout to it, whose status says who runs nevertheless", function()
    local worker = here:worker(WORKER_OPTIONS)
    worker:stop()
    succeed("rollout", "begin", "packing")
    for _, verb in ipairs { "enable", "disable" } do
      assert_refused(luaflow("functions", verb, "packing"), 1, "the open rollout keeps", "packing", "luaflow rollout finish")
    end
    assert_says(succeed("rollout", "status"), "drained: no worker of these functions runs any more")
    here.db:text "update pgflow.worker_functions set enabled = true"
    here:worker(WORKER_OPTIONS)
    local status = succeed("rollout", "status")
    assert_says(status, "not fenced: packing was enabled during the rollout, and its workers run", "luaflow rollout begin")
    assert.is_nil(status:find("drained", 1, true))
    assert.equal("draining", cjson.decode(succeed("rollout", "status", "--json")).step)
    assert_refused(luaflow("rollout", "finish"), 1, "old workers are still alive: packing (1)")
    assert_says(luaflow("rollout", "begin", "packing").out, "drained: ")
    assert.equal("packing is enabled again\n", succeed("rollout", "finish"))
  end)

  it("forget a function that has no live workers", function()
    local worker = here:worker(WORKER_OPTIONS)
    assert_refused(luaflow("functions", "forget", "packing"), 1, "worker function packing still has live workers: 1", "stop them")
    assert_refused(luaflow("functions", "forget", "paking"), 1, "no worker function 'paking'", "did you mean packing?")
    worker:stop()
    assert_says(succeed("functions", "forget", "packing"), "worker function packing is deleted")
    assert.equal("", succeed "functions")
    here:worker(WORKER_OPTIONS)
    here.db:text "select pgflow.begin_rollout('{packing}')"
    assert_refused(luaflow("functions", "forget", "packing"), 1, "part of the open rollout")
  end)

  it("refuse unknown functions and words, and change nothing", function()
    assert_refused(luaflow("functions", "disable", "packing"), 1, "there is no worker function 'packing'", "there are none yet")
    here:worker(WORKER_OPTIONS)
    assert_refused(luaflow("functions", "disable", "packing", "pakcing"), 1, "no worker function 'pakcing'", "did you mean packing?")
    assert_refused(luaflow("functions", "disable", "a,b\"\\{}"), 1, "there is no worker function 'a,b\"\\{}'",
      "known: packing; `luaflow functions` lists them")
    assert_refused(luaflow("functions", "disabel", "packing"), 2, "there is no functions disabel",
      "did you mean luaflow functions disable?")
    assert_refused(luaflow("functions", "disable"), 2, "an argument is missing", "usage: luaflow functions disable NAME...")
    assert_refused(luaflow("workers", "--al"), 2, "unknown option --al", "did you mean --all?")
    assert.equal("t", here.db:text "select f.enabled from pgflow.worker_functions f")
  end)

  it("work for a reader, who may not switch", function()
    here:worker(WORKER_OPTIONS)
    here.db:text [[
      do $$ begin create role spec_reader login in role pgflow_reader; exception when duplicate_object then null; end $$]]
    local reader = { "--database", here.db.conninfo .. " options='-c role=spec_reader'" }
    for _, command in ipairs { "workers", "functions", "queues", "flows" } do
      local result = luaflow(command, unpack(reader))
      assert.same({ 0, "" }, { result.code, result.err })
      assert_says(result.out, "work")
    end
    assert_refused(luaflow("functions", "disable", "packing", unpack(reader)), 6, "permission denied", "role pgflow_operator has the right")
  end)

  it("say on a terminal that there is nothing", function()
    for command, words in pairs {
      workers = "there is no worker", functions = "there is no worker function yet", queues = "there is no queue yet",
      runs = "no run matches", flows = "there is no flow yet",
    } do
      local shown = process.spawn {
        argv = { process.luaflow(), command }, name = command, terminal = true, env = { DATABASE_URL = here.db.conninfo, TERM = "xterm" },
      }
      assert.same({ code = 0 }, shown:wait(20))
      assert_says(shown:output(), words)
      shown:forget()
    end
  end)

  it("have titles on a terminal", function()
    here:worker(WORKER_OPTIONS)
    local shown = process.spawn {
      argv = { process.luaflow(), "workers" }, name = "workers", terminal = true,
      env = { DATABASE_URL = here.db.conninfo, TERM = "xterm", LC_ALL = "C.UTF-8" },
    }
    assert.same({ code = 0 }, shown:wait(20))
    local text = shown:output()
    shown:forget()
    assert_says(text, "WORKER", "STATE", "IN FLIGHT", "\27[32mrunning\27[0m")
  end)
end)
