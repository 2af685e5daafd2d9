-- Clients that start runs and workers that claim them, for a while: nothing is lost, orphaned or deadlocked.
-- 30 s, or 10 s where the variable CI is set.
local process = require "spec.support.process"
local scene = require "spec.support.scene"

local SOAK = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "soak", base_delay = 0 }
  :array({ slug = "list" }, function(n) return { n, n + 1, n + 2 } end)
  :map({ slug = "each", array = "list" }, function(n, ctx)
    if n % 50 == 0 and ctx.attempt == 1 then error "once" end
    return n * 2
  end)
  :step({ slug = "sum", depends_on = { "each" } }, function(deps)
    local sum = 0
    for _, n in ipairs(deps.each) do sum = sum + n end
    return sum
  end)
]]

-- One client: starts a run in each of its transactions until its time is over.
local CLIENT = [[
do $$
declare
  v_end timestamptz := clock_timestamp() + make_interval(secs => current_setting('spec.seconds')::int);
  v_n int := 0;
begin
  while clock_timestamp() < v_end loop
    perform pgflow.start_flow('soak', to_jsonb(v_n));
    commit;
    v_n := v_n + 1;
    perform pg_sleep(0.02);
  end loop;
end $$;
]]

local SECONDS = os.getenv "CI" and 10 or 30

describe("clients and workers together", function()
  local here

  setup(function() here = scene.open { ["flows/soak.lua"] = SOAK } end)

  teardown(function() here:close() end)

  it("complete every run without orphans and deadlocks", function()
    local workers = {}
    for i = 1, 2 do workers[i] = here:worker { args = { "--executors", "1", "--concurrency", "40" } } end
    here.root:write("client.sql", CLIENT)
    local clients = {}
    for i = 1, 4 do
      clients[i] = process.spawn {
        argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", here.db.conninfo, "-f", here.root:at "client.sql" },
        name = "client", env = { PGOPTIONS = "-c spec.seconds=" .. SECONDS },
      }
    end
    for _, client in ipairs(clients) do
      assert.same({ code = 0 }, client:wait(SECONDS + 20), client:errors())
      client:forget()
    end
    here.db:await_runs(60)
    local wrong = here.db:rows [[
      select r.status, r.input, r.output from pgflow.runs r
      where (r.status, r.output) is distinct from ('completed', jsonb_build_object('sum', (r.input::int + 1) * 6)) limit 5]]
    assert.same({}, wrong)
    local runs = here.db:number "select count(*) from pgflow.runs"
    print(("# soak: %d runs in %d s"):format(runs, SECONDS))
    assert.is_true(runs > SECONDS * 10)
    assert.equal(0, here.db:number [[
      select count(*) from pgmq.a_soak a
      where not exists (select from pgflow.step_tasks t where t.queue_name = 'soak' and t.message_id = a.msg_id)]])
    assert.equal(0, here.db:number "select count(*) from pgmq.q_soak")
    for _, worker in ipairs(workers) do assert.same({}, worker:log "archived_orphan") end
    assert.equal(0, here.db:number "select deadlocks from pg_stat_database where datname = current_database()")
  end)
end)
