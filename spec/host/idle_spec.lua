-- What a worker costs while it has nothing to do, or somebody without any right floods it with notifications, and how late it is for a
-- message that becomes due meanwhile.
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local DELAYED = [[
local luaflow = require "luaflow"
local function now() return require("system").gettime() end
return luaflow.worker { queue = "delayed", name = "delayed", flows = {
  luaflow.deploy(luaflow.flow { slug = "delayed" }:step({ slug = "due", start_delay = 3 }, now), { routes = { due = "delayed" } }),
  luaflow.deploy(luaflow.flow { slug = "prompt" }:step({ slug = "due" }, now), { routes = { due = "delayed" } }),
} }
]]

local SETTLE, WATCHED, TRIES = 3, 10, 5
local FLOODED, STARTS = 4, 9

-- As fast as they can be sent, each in a transaction of its own, from a role that may only connect.
local FLOOD = [[
do $$
declare
  v_end timestamptz := clock_timestamp() + interval '%d seconds';
  v_sent int := 0;
begin
  while clock_timestamp() < v_end loop
    perform pg_notify('pgflow:delayed', '%s');
    commit;
    v_sent := v_sent + 1;
  end loop;
  raise notice 'sent %%', v_sent;
end $$;]]

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

  local function calls(statement)
    return here.db:number([[
      select coalesce(sum(s.calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = current_database() and s.toplevel and s.query like '%pgflow.' || :'statement' || '(%']], { statement = statement })
  end

  local function flood(payload)
    return process.spawn {
      argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-c", "set role luaflow_spec_stranger", "-c", FLOOD:format(FLOODED, payload) },
    }
  end

  describe("that a stranger notifies without end", function()
    setup(function()
      here.db:text "do $$ begin create role luaflow_spec_stranger; exception when duplicate_object then null; end $$"
    end)

    it("claims in vain 100 times a second at most, and picks up a start all the same", function()
      local before, from, late = calls "claim_tasks", wait.now(), {}
      local flooder = flood ""
      for i = 1, STARTS do
        wait.pause(FLOODED / STARTS * 0.7)
        local id = here.db:start "prompt"
        here.db:await_run(id)
        late[i] = here.db:number(
          "select extract(epoch from t.started_at - t.queued_at) from pgflow.step_tasks t where t.run_id = :'id'", { id = id })
      end
      assert.equal(0, flooder:wait(60).code)
      local seconds = wait.now() - from
      local rate = (calls "claim_tasks" - before) / seconds
      local sent = tonumber(flooder:errors():match "sent (%d+)")
      table.sort(late)
      print(("# flood: %d notifications, %.0f claims a second; a start waited %.0f ms (median), %.0f ms at most"):format(
        sent, rate, late[math.ceil(STARTS / 2)] * 1000, late[STARTS] * 1000))
      assert.is_true(sent / seconds > 300, ("%d notifications"):format(sent))
      assert.is_true(rate <= 115 + 2 * STARTS / seconds, ("%.0f claims a second"):format(rate))
      assert.is_true(late[math.ceil(STARTS / 2)] < 0.3, ("%.0f ms"):format(late[math.ceil(STARTS / 2)] * 1000))
    end)

    it("sends a heartbeat 10 times a second at most", function()
      local before, from = calls "worker_heartbeat", wait.now()
      local flooder = flood "cancelled"
      assert.equal(0, flooder:wait(60).code)
      local seconds = wait.now() - from
      local rate = (calls "worker_heartbeat" - before) / seconds
      print(("# flood: %.1f heartbeats a second"):format(rate))
      assert.is_true(rate <= 11, ("%.1f heartbeats a second"):format(rate))
    end)
  end)
end)
