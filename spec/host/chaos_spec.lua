-- The harness of tools/chaos: a short run over which nothing is wrong, and one over which something is.
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
    local result = run("--minutes", "0.3", "--seed", "36", "--workers", "2")
    assert.equal(0, result.code, result.out .. result.err)
    assert.truthy(result.out:find("chaos: lost 0, duplicated 0, stuck 0, invariants 0, other faults 0", 1, true), result.out)
    assert.truthy(result.out:find "runs started: [1-9]", result.out)
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
  end)
end)

-- The parts of the verdict, on executions and logs that are made up.
describe("the verdict of tools/chaos", function()
  local executions = require "tools.lib.chaos.executions"
  local complaints = require "tools.lib.chaos.complaints"
  local history = require "tools.lib.chaos.history"
  local schedule = require "tools.lib.chaos.schedule"
  local folder

  before_each(function() folder = files.temporary_folder() end)

  after_each(function() files.remove(folder) end)

  -- Rows of completed tasks: key, time of completion, attempts.
  local function judge(lines, rows, faults)
    files.write(folder .. "/executions", table.concat(lines, "\n") .. "\n")
    local past = history.new()
    for _, fault in ipairs(faults or {}) do
      local entry = past:begin { kind = fault.kind, worker = fault.worker }
      entry.from, entry.till = fault.from, fault.till
    end
    return executions.judge({ text = function() return table.concat(rows, "\n") end }, folder .. "/executions", past)
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
    assert.equal(1, #judge(lines, rows, { { kind = "kill_host", worker = 2, from = 205, till = 205 } }).unexplained)
    assert.equal(1, #judge(lines, rows, { { kind = "kill_host", worker = 1, from = 150, till = 150 } }).unexplained)
    assert.equal(1, #judge(lines, rows, { { kind = "hold_snapshot", worker = 1, from = 205, till = 235 } }).unexplained)
    assert.same({}, judge(lines, rows, { { kind = "kill_host", worker = 1, from = 205, till = 205 } }).unexplained)
    assert.same({}, judge(lines, rows, { { kind = "restart_fast", worker = 2, from = 205, till = 207 } }).unexplained)
    local failed = judge({ "a each 0 1 1 1 200.000", lines[2] }, rows)
    assert.same({ {}, 1, 0, {} }, { failed.unexplained, failed.failed, failed.again, failed.spent })
  end)

  it("counts attempts that neither recovery nor a failure has cost", function()
    local result = judge({ "a each 0 1 1 0 200.000", "a each 1 1 1 1 200.000" }, { "a each 0|210|3", "a each 1|210|2" })
    assert.same({ ["a each 0"] = 2 }, result.spent)
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

  it("follows a schedule that its seed gives", function()
    assert.same(schedule.make(5, 300, 3), schedule.make(5, 300, 3))
    assert.not_same(schedule.make(5, 300, 3), schedule.make(6, 300, 3))
    for _, fault in ipairs(schedule.make(5, 300, 3, "cut,vanish")) do assert.is_true(fault.kind ~= "cut" and fault.kind ~= "vanish") end
    local kinds, count = {}, 0
    for _, fault in ipairs(schedule.make(1, 600, 3)) do
      if not kinds[fault.kind] then kinds[fault.kind], count = true, count + 1 end
    end
    assert.equal(13, count)
  end)
end)
