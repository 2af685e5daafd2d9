-- What a worker costs while it has nothing to do, and how late it is for a message that becomes due meanwhile.
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local DELAYED = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "delayed" }:step({ slug = "due", start_delay = 3 }, function()
  return require("system").gettime()
end)
]]

local SETTLE, WATCHED, TRIES = 3, 10, 5

describe("an idle worker", function()
  local here

  setup(function()
    here = scene.open { ["flows/delayed.lua"] = DELAYED }
    here.db:text "create extension if not exists pg_stat_statements"
    here:worker()
  end)

  teardown(function() here:close() end)

  local function statements()
    return here.db:number [[
      select coalesce(sum(s.calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = current_database() and s.toplevel and s.query !~ 'pg_stat_statements']]
  end

  it("uses less than 1 % of a core and sends fewer than 2 statements a second", function()
    wait.pause(SETTLE)
    local pids = here.workers[1].process:living()
    assert.is_true(#pids >= 2)
    local before, cpu, from = statements(), process.cpu_seconds(pids), wait.now()
    wait.pause(WATCHED)
    local seconds = wait.now() - from
    local share, rate = (process.cpu_seconds(pids) - cpu) / seconds, (statements() - before) / seconds
    print(("# idle: %.2f %% of a core, %.2f statements a second"):format(share * 100, rate))
    assert.is_true(cpu > 0 and share > 0, "no processor time was measured")
    assert.is_true(share < 0.01, ("%.2f %% of a core"):format(share * 100))
    assert.is_true(rate > 0.1 and rate < 2, ("%.2f statements a second"):format(rate))
  end)

  it("starts a delayed message within 200 ms of being due", function()
    local ids = {}
    for i = 1, TRIES do
      ids[i] = here.db:start "delayed"
      wait.pause(0.3)
    end
    local late = {}
    for i, id in ipairs(ids) do
      local run = here.db:await_run(id)
      local due = here.db:number("select extract(epoch from r.started_at) + 3 from pgflow.runs r where r.run_id = :'id'", { id = id })
      late[i] = run.output.due - due
    end
    table.sort(late)
    local median = late[math.ceil(TRIES / 2)]
    print(("# delayed messages: median %.0f ms late, worst %.0f ms"):format(median * 1000, late[TRIES] * 1000))
    assert.is_true(late[1] > -0.01, ("%.0f ms early"):format(-late[1] * 1000))
    assert.is_true(median < 0.2, ("%.0f ms late"):format(median * 1000))
  end)
end)
