-- The harness of tools/chaos: a short run over which nothing is wrong, and one over which something is.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"

local FAILING = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "failing", max_attempts = 1 }:step({ slug = "only" }, function() error "always" end)
]]

describe("tools/chaos", function()
  local function run(...)
    return process.run {
      argv = { "tools/chaos", ... }, env = { LUAFLOW = process.luaflow() }, seconds = 150,
    }
  end

  it("ends well where nothing is lost, duplicated or stuck", function()
    local result = run("--minutes", "0.28", "--seed", "903", "--workers", "2") -- a rollout, and another version
    assert.equal(0, result.code, result.out .. result.err)
    assert.truthy(result.out:find("chaos: lost 0, duplicated 0, stuck 0, invariants 0, other faults 0", 1, true), result.out)
    assert.truthy(result.out:find "runs started: [1-9]", result.out)
    assert.truthy(result.out:find "runs cancelled: [1-9]", result.out)
    assert.truthy(result.out:find("1 changes of version from run to run, 2 activations", 1, true), result.out)
  end)

  it("swaps the files of two replicas, and ends well where no version is lost, mixed or late", function()
    local result = run("--swaps", "--minutes", "0.34", "--seed", "49") -- a new version, back from it, the same again, and a fence
    assert.equal(0, result.code, result.out .. result.err)
    for _, part in ipairs {
      "chaos: lost 0, duplicated 0, stuck 0, invariants 0, other faults 0", "versions mixed within a run: 0",
      "orders that no task followed: 0", "old executors more than tasks in flight: 0",
    } do
      assert.truthy(result.out:find(part, 1, true), result.out)
    end
    assert.truthy(result.out:find "runs started: [1-9]", result.out)
    assert.truthy(result.out:find "reloads accepted: [1-9]", result.out)
    assert.truthy(result.out:find "[1-9]%d* deployments: p50", result.out)
    assert.truthy(result.out:find("at most %d+ executors of [1-9]%d* old generations"), result.out)
  end)

  it("ends with 1 where runs are lost, and keeps the logs", function()
    local folder = files.temporary_folder()
    files.write(folder .. "/failing.lua", FAILING)
    local result = run("--minutes", "0.15", "--seed", "3", "--workers", "1", "--flow", folder .. "/failing.lua", "--start", "failing")
    files.remove(folder)
    assert.equal(1, result.code, result.out .. result.err)
    assert.truthy(result.out:find "BAD  lost: [1-9]", result.out)
    local kept = result.out:match "the logs are kept in (%S+)"
    for start = 1, 2 do -- the schedule kills it once
      assert.truthy(files.read(("%s/worker-1-%d.log"):format(kept, start)):find('"verb":"running"', 1, true), "start " .. start)
    end
    assert.truthy(files.read(kept .. "/runs.txt"):find("always", 1, true))
    files.remove((kept:gsub("/logs$", "")))
  end)

  it("refuses words that it does not know", function()
    local result = run("--minute", "1")
    assert.equal(2, result.code)
    assert.truthy(result.err:find("--minute", 1, true))
    result = run("--faults", "purge,flood")
    assert.equal(2, result.code)
    assert.truthy(result.err:find("flood; there are bad_reload, culprit,", 1, true), result.err)
    result = run("--swaps", "--workers", "3")
    assert.equal(2, result.code)
    assert.truthy(result.err:find("--swaps and --workers do not go together", 1, true), result.err)
  end)
end)

-- The parts of the verdict, on executions and logs that are made up.
describe("the verdict of tools/chaos", function()
  local changes = require "tools.lib.chaos.changes"
  local code = require "tools.lib.chaos.code"
  local executions = require "tools.lib.chaos.executions"
  local complaints = require "tools.lib.chaos.complaints"
  local culprits = require "tools.lib.chaos.culprits"
  local history = require "tools.lib.chaos.history"
  local orders = require "tools.lib.chaos.orders"
  local releases = require "tools.lib.chaos.releases"
  local schedule = require "tools.lib.chaos.schedule"
  local swaps = require "tools.lib.chaos.swaps"
  local folder

  before_each(function() folder = files.temporary_folder() end)

  after_each(function() files.remove(folder) end)

  -- Executions as handlers note them; by revision 1 of version v unless the line says so.
  local function read(lines)
    for i, line in ipairs(lines) do lines[i] = line:find "%.%d+$" and line .. " v 1" or line end
    files.write(folder .. "/executions", table.concat(lines, "\n") .. "\n")
    return executions.read(folder .. "/executions")
  end

  local function past(faults)
    local self = history.new()
    for _, fault in ipairs(faults or {}) do
      local entry = self:begin { kind = fault.kind, worker = fault.worker, connection = fault.connection }
      entry.from, entry.till = fault.from, fault.till
    end
    return self
  end

  -- Rows of completed tasks: key, time of completion, attempts.
  local function judge(lines, rows, faults)
    return executions.judge({ text = function() return table.concat(rows, "\n") end }, read(lines), past(faults), code.TIMEOUT)
  end

  it("finds a task that completed without having run, and one that was claimed again after it had completed", function()
    local result = judge({ "a each 0 1 1 0 100.000", "a each 0 2 2 0 104.000" }, { "a each 0|102.5|1", "a each 1|102.5|1" })
    assert.same({ "a each 1" }, result.never)
    assert.same({ "a each 0" }, result.late)
  end)

  it("lets a task run again only after a failure, or after a fault of the worker that ran it", function()
    local lines = { "a each 0 1 1 0 200.000", "a each 0 2 2 0 240.000" }
    local rows = { "a each 0|241|2" }
    assert.same({ "a each 0 attempt 1, then 2" }, judge(lines, rows).unexplained)
    assert.equal(1, #judge(lines, rows, { { kind = "rollout", worker = 1, from = 205, till = 210 } }).unexplained)
    assert.equal(1, #judge(lines, rows, { { kind = "kill_host", worker = 2, from = 205, till = 205 } }).unexplained)
    assert.equal(1, #judge(lines, rows, { { kind = "kill_host", worker = 1, from = 150, till = 150 } }).unexplained)
    assert.equal(1, #judge(lines, rows, { { kind = "hold_snapshot", worker = 1, from = 205, till = 235 } }).unexplained)
    assert.same({}, judge(lines, rows, { { kind = "kill_host", worker = 1, from = 205, till = 205 } }).unexplained)
    assert.same({}, judge(lines, rows, { { kind = "restart_fast", worker = 2, from = 205, till = 207 } }).unexplained)
    local same = { "a keep 0 1 1 0 200.001", "a keep 0 1 1 0 200.000" } -- run again within the attempt
    assert.same({}, judge(same, rows, { { kind = "cut", worker = 1, from = 205, till = 205 } }).unexplained)
    assert.equal(1, #judge(same, rows, { { kind = "cut", worker = 1, from = 225, till = 225 } }).unexplained)
    local failed = judge({ "a each 0 1 1 1 200.000", lines[2] }, rows)
    assert.same({ {}, 1, 0, {} }, { failed.unexplained, failed.failed, failed.again, failed.spent })
  end)

  it("counts attempts that neither recovery nor a failure has cost", function()
    local result = judge({ "a each 0 1 1 0 200.000", "a each 1 1 1 1 200.000" }, { "a each 0|210|3", "a each 1|210|2" })
    assert.same({ ["a each 0"] = 2 }, result.spent)
  end)

  it("counts what stops and silent connections of handlers may cost", function()
    local function cost(kind, connection, lasted)
      return past({ { kind = kind, worker = 1, connection = connection, from = 0, till = lasted or 0 } }):cost(20)
    end
    assert.same({ 20, 0, 20, 20, 1 }, {
      cost("stop_host", nil, 40), cost("stop_host", nil, 10), cost("stop_executor", nil, 20), cost("stop_executor", nil, 40),
      cost "kill_executor",
    })
    assert.same({ 20, 20, 0, 0 }, { cost("silence", "handler"), cost("swallow", "all"), cost("silence", "work"), cost("cut", "all") })
  end)

  it("finds a task that was claimed after its run had been cancelled", function()
    local all = read { "a each 0 1 1 0 100.000", "a each 1 1 1 0 108.000", "b each 0 1 1 0 108.000" }
    assert.same({ "a each 1" }, executions.after_cancellation(all, { a = 102 }))
  end)

  it("finds a cancelled run that ended otherwise", function()
    local function run(id, status) return { run_id = "r" .. id, key = "chaos " .. id, status = status } end
    local runs = { run(1, "cancelled"), run(2, "completed"), run(3, "completed"), run(4, "failed"), run(5, "completed") }
    runs[5].restart_of, runs[6] = "r6", { run_id = "r6", status = "cancelled" }
    local function answer(status) return { status = status, at = 7 } end
    local result = changes.compare(runs, {
      [1] = answer "cancelled", [2] = answer "completed", [3] = answer "cancelled", [4] = answer "failed",
      [5] = answer "cancelled",
    })
    table.sort(result.wrong)
    assert.same({ { r1 = 7, r3 = 7, r6 = 7 }, 3, { "run 3: cancelled, then completed", "run 4: failed, then failed" } },
      { result.cancelled, result.count, result.wrong })
  end)

  it("counts how often the version changed, in the order of starts", function()
    local function run(key, slug) return { key = key, flow_slug = slug } end
    assert.equal(2, changes.switches {
      run("chaos 10", "v1"), run("chaos 9", "v2"), run("chaos 2", "v1"), run("chaos 8", "v2"), run(nil, "v2"), run("chaos 1", "v1"),
    })
    assert.equal(0, changes.switches {})
  end)

  it("finds what refused files, another version or old files have run", function()
    local all = read {
      "a each 0 1 1 0 100.000 v1 3", "a each 1 1 1 0 100.000 v1 -3", "a each 2 1 1 0 100.000 v2 3", "a each 3 1 1 0 109.000 v1 3",
      "a each 4 1 1 0 109.000 v1 4",
    }
    assert.same({ refused = { "a each 1" }, foreign = { "a each 2" }, old = { "a each 3" } },
      executions.by_wrong_code(all, { a = "v1" }, { at = 105, revision = 4 }))
  end)

  it("finds a worker that claims nothing after a refused reload, unless it had something else to bear", function()
    local bad = { kind = "bad_reload", worker = 1, from = 100, till = 103 }
    local function idle(claims, ...) return #executions.idle_after_refusal(read(claims), past { bad, ... }) end
    local late = "a each 0 1 1 0 104.000"
    assert.equal(1, idle { "a each 0 1 2 0 104.000", "a each 0 1 1 0 99.000" })
    assert.equal(0, idle { late })
    assert.equal(0, idle({ "a each 0 1 2 0 104.000" }, { kind = "rollout", from = 105, till = 106 }))
    assert.equal(0, idle({ "a each 0 1 2 0 104.000" }, { kind = "stop_host", worker = 1, from = 90, till = 96 }))
    assert.equal(1, idle({ "a each 0 1 2 0 104.000" }, { kind = "stop_host", worker = 2, from = 90, till = 96 }))
  end)

  it("has files of which each version loads, and bad ones that do not or differ in shape or routing", function()
    local here = code.open(require("spec.support.flows").root {})
    local function check()
      return process.run { argv = { process.luaflow(), "check", here.root:at(code.PATH) } }
    end
    assert.equal(0, check().code)
    here:save(2)
    assert.same({ 0, 2, 2 }, { check().code, here.active, here.revision })
    local outcomes = {}
    for choice = 1, 5 do outcomes[here:spoil(choice)] = check().code end
    assert.same({
      ["does not compile"] = 3, ["raises half-way"] = 3, ["has another shape"] = 0, ["has another route"] = 0, ["lacks both versions"] = 0,
    }, outcomes)
    here:save()
    assert.equal(0, check().code)
    here.root:remove()
  end)

  it("tells complaints of the server and of workers from those that faults bring with them", function()
    files.write(folder .. "/postgres.log", table.concat({
      "2026 [1] FATAL:  the database system is starting up", "2026 [1] ERROR:  deadlock detected",
      "2026 [1] ERROR:  duplicate key value violates unique constraint \"x\"", "2026 [1] LOG:  checkpoint starting",
    }, "\n"))
    local deadlocks, strange = complaints.of_server(folder .. "/postgres.log")
    assert.same({ 1, { ['duplicate key value violates unique constraint "x"'] = 1 } }, { deadlocks, strange })
    local line = '{"verb":"attempt_failed","message":"%s"}\n'
    files.write(folder .. "/worker-1-1.log", line:format "timed out after 20 s" .. line:format "something else" .. "torn {")
    assert.same({ ["something else"] = 1 }, complaints.of_workers(folder))
  end)

  it("has files for swaps that load, and bad ones that do not or differ in shape", function()
    local here = releases.open(2, 1200)
    local function check(tree)
      return process.run { argv = { process.luaflow(), "check", here.trees[tree].root:at(releases.PATH) } }.code
    end
    here:write(1, { 2, 3 }, 3)
    assert.same({ 0, 0 }, { check(1), check(2) })
    assert.same({ revision = 3, active = 3, tree = 1, versions = { [2] = true, [3] = true }, at = here.list[3].at }, here.list[3])
    local outcomes = {}
    for choice = 1, 4 do outcomes[here:spoil(1, choice)] = check(1) end
    assert.same({ ["does not compile"] = 3, ["raises half-way"] = 3, ["has another shape"] = 0, ["lacks a step"] = 0 }, outcomes)
    here:tear(2, { 1, 2, 3 }, 3)
    assert.equal(0, check(2))
    assert.same({ 1, 2 }, here.trees[2].versions) -- as nobody has finished it
    for _, tree in ipairs(here.trees) do tree.root:remove() end
  end)

  it("finds an alias that was moved by files which must not", function()
    local function release(tree, at, active, ...)
      local versions = {}
      for _, version in ipairs { ... } do versions[version] = true end
      return { tree = tree, at = at, active = active, versions = versions }
    end
    local function move(origin, target, at) return { origin = origin, target = "swap_v" .. target, at = at } end
    local list = { release(1, 100, 2, 1, 2), release(2, 100, 1, 1), release(1, 130, 1, 1, 2), release(1, 160, 3, 3) }
    local first = { move(cjson.null, 1, 101), move("swap_v1", 2, 102) }
    local function unfounded(...) return releases.unfounded(list, { first[1], first[2], ... }) end
    assert.same({}, unfounded(move("swap_v2", 1, 131), move("swap_v1", 2, 132), move("swap_v2", 3, 161)))
    assert.same({ "swap_v2 -> swap_v1" }, unfounded(move("swap_v2", 1, 105))) -- tree 2 has not the version that is active
    assert.same({ "swap_v2 -> swap_v3" }, unfounded(move("swap_v2", 3, 150)))
    assert.same({ "swap_v1 -> swap_v2" }, unfounded(move("swap_v2", 1, 131), move("swap_v1", 2, 145)))
  end)

  it("takes the time from a deployment to its first task, and from an order to the first task of its code", function()
    local all = read {
      "a each 0 1 1 0 100.000 v1 1", "a each 1 1 1 0 110.500 v1 2", "a each 2 1 1 0 123.000 v1 2", "a each 3 1 2 0 120.500 v1 1",
      "a each 4 1 1 0 131.000 v1 1",
    }
    local function deployed(at, till) return { worker = 1, at = at, till = till } end
    assert.same({ { 0.5, 3 }, 1, { "worker 1 at 120.000: 3.00 s" } },
      { orders.first_tasks({ deployed(110, 120), deployed(120, 124), deployed(124, 125.5) }, all) })
    assert.same({ "a each 4" }, orders.by_older_code(all))
    local mine = orders.new()
    mine.list = {
      { worker = 1, revision = 2, at = 110, till = math.huge }, { worker = 1, revision = 3, at = 120, till = math.huge },
      { worker = 1, revision = 3, at = 120, till = 125 }, { worker = 2, revision = 7, at = 120, till = math.huge },
    }
    assert.same({ { 0.5 }, { "revision 3 of worker 1" } }, { mine:served(all, { { worker = 1, from = 90, till = 140 } }) })
  end)

  it("reads the deployments of workers from their logs", function()
    local line = '{"time":"2026-11-30T05:00:%s.500Z","verb":"%s"}\n'
    files.write(folder .. "/worker-2-1.log", line:format("09", "reloaded") .. line:format("10", "running") .. line:format("20", "reloaded")
      .. line:format("30", "draining") .. line:format("35", "reloaded") .. line:format("40", "stopped"))
    local at = 1796014810.5
    assert.same({
      { { worker = 2, at = at, till = at + 10 }, { worker = 2, at = at + 10, till = at + 20 } },
      { { worker = 2, from = at, till = at + 20 } },
    }, { orders.deployments(folder) })
  end)

  it("follows swaps that their seed gives, one every five seconds", function()
    assert.same(swaps.make(5, 300), swaps.make(5, 300))
    assert.not_same(swaps.make(5, 300), swaps.make(6, 300))
    assert.equal(60, #swaps.make(5, 300))
  end)

  it("follows a schedule that its seed gives", function()
    assert.same(schedule.make(5, 300, 3), schedule.make(5, 300, 3))
    assert.not_same(schedule.make(5, 300, 3), schedule.make(6, 300, 3))
    for _, fault in ipairs(schedule.make(5, 300, 3, nil, { cut = true, vanish = true })) do
      assert.is_true(fault.kind ~= "cut" and fault.kind ~= "vanish")
    end
    for _, fault in ipairs(schedule.make(5, 300, 3, { purge = true, cut = true }, { cut = true })) do assert.equal("purge", fault.kind) end
    local kinds, count = {}, 0
    for _, fault in ipairs(schedule.make(1, 600, 3)) do -- all that there are
      if not kinds[fault.kind] then kinds[fault.kind], count = true, count + 1 end
    end
    assert.equal(24, count)
  end)

  it("finds a culprit that did not fail, or whose error does not say why", function()
    local function run(number, status, message) return { key = "culprit " .. number, status = status, error_message = message } end
    assert.same({ "culprit 2 (alarm): failed was killed by SIGKILL", "culprit 3 (kill): completed ", "culprit 5 (kill): never started " },
      culprits.unnamed({
        run(1, "failed", "its executor was killed by SIGKILL"), run(2, "failed", "was killed by SIGKILL"),
        run(3, "completed", require("cjson").null), run(4, "failed", "above --max-input"),
      }, { "kill", "alarm", "kill", "oversized", "kill" }, {}))
    local late = run(1, "failed", "was killed by SIGKILL")
    late.run_id = "r"
    assert.same({}, culprits.unnamed({ late }, { "alarm" }, { r = true }))
  end)

  it("finds innocents that were charged with a culprit's death", function()
    local line = '{"time":"2026-11-30T05:00:%s.500Z","verb":"attempt_failed","flow":"%s","run":"r","step":"%s","index":0,"message":"%s"}\n'
    files.write(folder .. "/worker-2-1.log", line:format("10", "chaos_v1", "a", "was killed by SIGKILL")
      .. line:format("20", "chaos_v1", "b", "was killed by SIGKILL") .. line:format("20", "chaos_v1", "c", "was killed by SIGALRM")
      .. line:format("30", "chaos_culprit", "d", "was killed by SIGALRM") .. line:format("30", "chaos_v1", "e", "once"))
    local at = 1796014810 -- 2026-11-30 05:00:10 UTC
    local killed = past {
      { kind = "kill_executor", worker = 2, from = at, till = at }, { kind = "kill_executor", worker = 1, from = at + 10, till = at + 10 },
    }
    assert.same({ "worker 2: r b 0: was killed by SIGKILL", "worker 2: r c 0: was killed by SIGALRM" }, culprits.framed(folder, killed))
  end)

  it("knows the culprits that a fault killed first", function()
    local line = '{"time":"2026-11-30T05:00:%s.500Z","verb":"attempt_failed","flow":"chaos_culprit","run":"%s","message":"killed by %s"}\n'
    files.write(folder .. "/worker-2-1.log", line:format("10", "a", "SIGKILL") .. line:format("20", "b", "SIGKILL")
      .. line:format("10", "c", "SIGALRM"))
    local at = 1796014810 -- 2026-11-30 05:00:10 UTC
    assert.same({ a = true }, culprits.killed(folder, past { { kind = "kill_executor", worker = 2, from = at, till = at } }))
  end)

  it("lets what ran beside a culprit run again", function()
    local lines, rows = { "a each 0 1 1 0 200.000", "a each 0 2 2 0 202.000" }, { "a each 0|203|1" }
    local self = past {}
    files.write(folder .. "/executions.deaths", "2 199.500\n")
    culprits.confess(folder .. "/executions", self)
    assert.is_false(self:explains(1, 200, 202))
    files.write(folder .. "/executions.deaths", "1 199.500\n")
    culprits.confess(folder .. "/executions", self)
    local db = { text = function() return table.concat(rows, "\n") end }
    assert.same({}, executions.judge(db, read(lines), self, code.TIMEOUT).unexplained)
  end)

  it("knows the longest fault", function()
    assert.equal(40, past({ { kind = "read_only", from = 5, till = 45 }, { kind = "cut", worker = 1, from = 50, till = 50 } }):longest())
    assert.equal(0, past({}):longest())
    local restarts = {
      { kind = "restart_fast", from = 200, till = 201 }, { kind = "restart_immediate", from = 100, till = 102 },
      { kind = "restart_fast", from = 160, till = 161 }, { kind = "restart_fast", from = 300, till = 304 },
    }
    assert.equal(161, past(restarts):longest()) -- 100 to 261; the last begins after that
  end)
end)
