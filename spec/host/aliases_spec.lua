-- Aliases: which version new runs get, while workers roll one out and back, start at the same moment, or lag behind.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- Runs with a phase wait in their first step until the spec lets that phase go on.
local GATE = [[
return function(input, ctx)
  local path = type(input) == "table" and ("%s/go_on_%s"):format(ctx.env.SPEC_FOLDER, input.phase)
  local file = path and io.open(path)
  while path and not file do
    ctx:sleep(0.02)
    file = io.open(path)
  end
  if file then file:close() end
end
]]

local V1 = [[
local luaflow, gate = require "luaflow", require "flows.gate"
return luaflow.flow { slug = "order" }
  :step({ slug = "check" }, function(input, ctx)
    gate(input, ctx)
    return input
  end)
  :step({ slug = "pack", depends_on = { "check" } }, function() return "version 1" end)
]]

-- Another shape and other routes.
local V2 = [[
local luaflow, gate = require "luaflow", require "flows.gate"
return luaflow.flow { slug = "order_v2" }
  :array({ slug = "split" }, function(input, ctx)
    gate(input, ctx)
    return { input, input }
  end)
  :map({ slug = "price", array = "split" }, function(part) return part end)
  :step({ slug = "pack", depends_on = { "price" } }, function(deps)
    assert(#deps.price == 2)
    return "version 2"
  end)
]]

local DEPLOYED = [[
local luaflow = require "luaflow"
return {
  v1 = luaflow.deploy(require "flows.order", {}),
  v2 = luaflow.deploy(require "flows.order_v2", { alias = "order", routes = { price = "pricing" } }),
}
]]

-- A file with one worker: its queue and its flows as Lua text.
local function worker_file(queue, flows)
  return ([[
local luaflow, deployed = require "luaflow", require "flows.deployed"
local v1, v2, retain = deployed.v1, deployed.v2, luaflow.retain
return luaflow.worker { queue = "%s", flows = { %s } }
]]):format(queue, flows:gsub("retained (v%d)", "retain(%1)"))
end

describe("an alias", function()
  local here

  before_each(function()
    here = scene.open {
      ["flows/gate.lua"] = GATE, ["flows/order.lua"] = V1, ["flows/order_v2.lua"] = V2, ["flows/deployed.lua"] = DEPLOYED,
      ["v1/order.lua"] = worker_file("order", "v1"),
      ["v2/order_v2.lua"] = worker_file("order_v2", "v2, retained v1"), ["v2/pricing.lua"] = worker_file("pricing", "v2, retained v1"),
      ["back/order.lua"] = worker_file("order", "v1, retained v2"),
    }
  end)
  after_each(function() here:close() end)

  local function start_200(phase)
    here.db:text([[
      select count(r.run_id) from generate_series(1, 200) i,
        lateral pgflow.start_flow('order', jsonb_build_object('phase', :'phase', 'n', i)) r]], { phase = phase })
  end

  local function go_on(phase) here.root:write("go_on_" .. phase, "") end

  local function start_worker(path)
    return here:worker { paths = { path }, args = { "--executors", "1", "--concurrency", "20" } }
  end

  local function runs_under_way(slug)
    return here.db:number("select count(*) from pgflow.runs r where r.status = 'started' and r.flow_slug = :'slug'", { slug = slug })
  end

  it("leads each run to the version that was active when it started, through a roll-out and back", function()
    local first = start_worker "v1/order.lua"
    start_200 "first"
    start_worker "v2/order_v2.lua"
    start_worker "v2/pricing.lua"
    assert.equal(200, runs_under_way "order")
    start_200 "second"
    go_on "first"
    assert.same({ code = 0 }, first:stop())
    local back = start_worker "back/order.lua"
    local told = back:log("deployed_flow")[1]
    assert.same({ "order", "verified", "moved back", "warn" }, { told.flow, told.status, told.alias, told.level })
    assert.truthy(told.message:find "^alias order: order_v2 %-> order, which had been replaced: worker .* activated order_v2", told.message)
    assert.equal(200, runs_under_way "order_v2")
    start_200 "third"
    go_on "second"
    go_on "third"
    here.db:await_runs(60)
    assert.same({
      { phase = "first", flow_slug = "order", output = "version 1", status = "completed", runs = 200 },
      { phase = "second", flow_slug = "order_v2", output = "version 2", status = "completed", runs = 200 },
      { phase = "third", flow_slug = "order", output = "version 1", status = "completed", runs = 200 },
    }, here.db:rows [[
      select r.input -> 'phase' as phase, r.flow_slug, r.output -> 'pack' as output, r.status, count(*) as runs
      from pgflow.runs r group by 1, 2, 3, 4 order by 1]])
    assert.equal("->order order->order_v2 order_v2->order", here.db:text [[
      select string_agg(coalesce(a.from_flow_slug, '') || '->' || a.to_flow_slug, ' ' order by a.activated_at)
      from pgflow.alias_activations a where a.flow_alias = 'order']])
    assert.equal("check order, pack order, pack order_v2, price pricing, split order_v2", here.db:text [[
      select string_agg(distinct t.step_slug || ' ' || t.queue_name, ', ') from pgflow.step_tasks t]])
    here:assert_consistent()
  end)

  it("stays where it is when a replica that lacks the active version restarts, which warns", function()
    here.root:write("flows/deployed.lua", (DEPLOYED:gsub('"flows.order", {}', '"flows.order", { alias = "orders" }')
      :gsub('alias = "order",', 'alias = "orders",')))
    start_worker "v1/order.lua"
    here:stop_workers()
    start_worker "v2/order_v2.lua"
    local replica = start_worker "v1/order.lua"
    local told = replica:log("deployed_flow")[1]
    assert.same({ "order", "verified", "kept", "warn" }, { told.flow, told.status, told.alias, told.level })
    assert.truthy(told.message:find("order_v2", 1, true), told.message)
    assert.equal("order_v2", here.db:text "select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = 'orders'")

    local refused = here:luaflow { "start", "order", "1" }
    assert.same({ 1, "" }, { refused.code, refused.out })
    assert.truthy(refused.err:find("'order' is not the active version of 'orders'", 1, true), refused.err)
    assert.truthy(refused.err:find("hint: start orders, whose active version is order_v2", 1, true), refused.err)
    for _, name in ipairs { "orders", "order_v2" } do
      assert.equal(0, here:luaflow({ "start", name, "1" }).code)
    end
    assert.equal("order_v2", here.db:text "select string_agg(distinct r.flow_slug, ',') from pgflow.runs r")
    here.db:text "delete from pgmq.q_order_v2; delete from pgflow.runs" -- nothing serves pricing
  end)

  it("is a plain flow's own slug, with no more than a file", function()
    here:worker { paths = { "flows/order.lua" }, args = { "--executors", "1" } }
    local result = here:luaflow { "start", "order", "1", "--wait" }
    assert.same({ 0, '{"pack": "version 1"}\n' }, { result.code, result.out }, result.err)
    assert.same({ flow_alias = "order", started_as = "order", queues = "order" }, here.db:row [[
      select r.flow_alias, r.started_as, (select string_agg(distinct t.queue_name, ',') from pgflow.step_tasks t) as queues
      from pgflow.runs r]])
  end)
end)

local MOVES = os.getenv "LUAFLOW_LONG_SPECS" and 200 or 50

describe("sessions at the same moment", function()
  local here, sessions

  before_each(function()
    here, sessions = scene.open {}, {}
    here.db:text(files.read "spec/sql/support/fixtures.sql")
  end)
  after_each(function() here:close() end)

  -- Runs SQL in a session of its own.
  local function session(name, sql)
    here.root:write(name .. ".sql", sql)
    sessions[#sessions + 1] = process.spawn {
      argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", here.db.conninfo, "-f", here.root:at(name .. ".sql") }, name = name,
    }
  end

  -- Waits for those first that the others wait for, which are the last.
  local function await_sessions()
    for i = #sessions, 1, -1 do
      assert.same({ code = 0 }, sessions[i]:wait(90), sessions[i]:errors())
    end
    for _, each in ipairs(sessions) do each:forget() end
  end

  local function assert_no_deadlock()
    assert.equal(0, here.db:number "select d.deadlocks from pg_stat_database d where d.datname = current_database()")
  end

  it("deploy the same and conflicting versions 200 times: whole versions only, and no alias without one", function()
    -- By the kind of the round the two deploy the same version, another shape, another routing, or another version of one alias.
    here.db:text [[
      create table spec.answers (session int, n int, kind text, slug text, status text, alias_status text);
      create table spec.arrived (session int, n int);
      create table spec.done (session int);

      create function spec.version(p_session int, p_n int, p_kind text) returns jsonb language sql as $$
        select spec.flow(
          'race_' || p_n || case when p_kind = 'version' then '_v' || p_session else '' end,
          array[
            spec.step('a'),
            spec.step('b', '{a}', p_when_exhausted => case when p_kind = 'shape' and p_session = 2 then 'skip' else 'fail' end),
            spec.step('c', '{a,b}')
          ],
          p_alias => 'race_alias_' || p_n,
          p_routing => case when p_kind = 'routing' and p_session = 2 then jsonb_build_object('b', 'race_other_' || p_n) else '{}' end
        );
      $$;

      create procedure spec.deploy_all(p_session int) language plpgsql as $$
      declare
        v_kind text;
      begin
        for v_round in 1 .. 200 loop
          insert into spec.arrived values (p_session, v_round);
          commit;
          while (select count(*) from spec.arrived a where a.n = v_round) < 2 loop
            perform pg_sleep(0.0005);
            commit;
          end loop;
          perform pg_sleep((v_round / 4 + p_session) % 2 * 0.001); -- now one is a moment earlier, now the other
          v_kind := (array['same', 'shape', 'routing', 'version'])[v_round % 4 + 1];
          insert into spec.answers (session, n, kind, slug, status, alias_status)
          select p_session, v_round, v_kind, d.flow_slug, d.status, d.alias_status
          from spec.deploy_registry(array[spec.version(p_session, v_round, v_kind)], p_worker => p_session * 1000 + v_round) d;
          commit;
        end loop;
        insert into spec.done values (p_session);
      end $$;

      -- What is half there in one snapshot.
      create view spec.half_stored as
        select f.flow_slug as name from pgflow.flows f
        where (select count(*) from pgflow.steps s where s.flow_slug = f.flow_slug) <> 3
          or (select count(*) from pgflow.deps d where d.flow_slug = f.flow_slug) <> 3
          or exists (
            select from pgflow.steps s where s.flow_slug = f.flow_slug and (s.queue_name is null or not exists (
              select from pgmq.meta m where m.queue_name = s.queue_name)))
        union all
        select a.flow_alias from pgflow.flow_aliases a
        where not exists (select from pgflow.flows f where f.flow_slug = a.active_flow_slug and f.flow_alias = a.flow_alias)]]
    session("watcher", [[
      do $$
      begin
        while (select count(*) from spec.done) < 2 loop
          if exists (select from spec.half_stored) then
            raise exception 'half stored: %', (select string_agg(h.name, ', ') from spec.half_stored h);
          end if;
          commit;
          perform pg_sleep(0.002);
        end loop;
      end $$]])
    for i = 1, 2 do
      session("deployer_" .. i, ("call spec.deploy_all(%d)"):format(i))
    end
    await_sessions()
    assert.equal(0, here.db:number "select count(*) from spec.half_stored")
    assert.same({
      { kind = "routing", answers = "created activated, routing_mismatch kept", rounds = 50 },
      { kind = "same", answers = "created activated, verified already active", rounds = 50 },
      { kind = "shape", answers = "created activated, shape_mismatch kept", rounds = 50 },
      { kind = "version", answers = "created activated, created activated", rounds = 50 },
    }, here.db:rows [[
      select kind, answers, count(*) as rounds
      from (
        select a.n, a.kind, string_agg(a.status || ' ' || a.alias_status, ', ' order by a.status, a.alias_status) as answers
        from spec.answers a group by a.n, a.kind
      ) r
      group by kind, answers order by kind]])
    -- What is stored is what the one that created it gave, and what is active is what the last one that activated it gave.
    assert.equal(250, here.db:number [[
      select count(*) from spec.answers a
      join pgflow.steps s on s.flow_slug = a.slug and s.step_slug = 'b'
      where a.status = 'created'
        and s.when_exhausted = case when a.kind = 'shape' and a.session = 2 then 'skip' else 'fail' end
        and s.queue_name = case when a.kind = 'routing' and a.session = 2 then 'race_other_' || a.n else a.slug end]])
    assert.equal(200, here.db:number [[
      select count(*) from spec.answers a
      join pgflow.flow_aliases f on f.flow_alias = 'race_alias_' || a.n and f.active_flow_slug = a.slug
      where a.alias_status = 'activated']])
    assert.equal("1,2", here.db:text [[
      select string_agg(distinct a.session::text, ',' order by a.session::text) from spec.answers a where a.alias_status = 'activated']])
    assert_no_deadlock()
    here:assert_consistent()
  end)

  it("start runs while an alias moves again and again: no start fails, and none gets a version that was dropped", function()
    -- A run ends in the transaction that starts it, so that a version can be dropped as soon as it is not active.
    here.db:text [[
      create table spec.done (session int);
      create procedure spec.deploy_now(variadic p_flows jsonb[]) language plpgsql as $$
      declare
        v_answer text;
      begin
        loop
          begin
            select string_agg(d.status || ' ' || d.alias_status, ', ') into v_answer
            from spec.deploy_registry(p_flows, p_queue => 'shared') d
            where d.status not in ('created', 'verified') or d.alias_status = 'kept';
            exit;
          exception when lock_not_available then -- as a worker does it
          end;
        end loop;
        if v_answer is not null then
          raise exception 'deployment refused: %', v_answer;
        end if;
        commit;
      end $$;

      create function spec.version(p_n int, p_retained boolean default false) returns jsonb language sql as $$
        select spec.flow(
          'order_v' || p_n, array[spec.step('only', p_only_if => '{"never": true}')],
          p_alias => 'orders', p_routing => '{"only": "shared"}', p_retained => p_retained
        );
      $$;

      create procedure spec.move(p_to int, p_from int) language plpgsql as $$
      declare
        v_runs bigint;
      begin
        call spec.deploy_now(spec.version(p_to), spec.version(p_from, true));
        call spec.deploy_now(spec.version(p_to));
        select count(*) into v_runs from pgflow.runs r where r.flow_slug = 'order_v' || p_from;
        commit;
        perform pg_sleep(0.005);
        if (select count(*) from pgflow.runs r where r.flow_slug = 'order_v' || p_from) <> v_runs then
          raise exception 'a run of order_v% was started after its workers had dropped it', p_from;
        end if;
        commit;
      end $$;
      select count(*) from spec.deploy_registry(array[spec.version(1)], p_queue => 'shared');
    ]]
    for i = 1, 8 do
      session("starter_" .. i, ([[
        do $$
        begin
          while not exists (select from spec.done) loop
            perform pgflow.start_flow('orders', '{}');
            perform pg_sleep(%s);
            commit;
          end loop;
        end $$]]):format(i % 2 == 0 and "0.006" or "0.003"))
    end
    wait.till(function() return here.db:number "select count(*) from pgflow.runs" > 20 end, 20, "runs to be started")
    session("mover", ([[
      do $$
      begin
        for i in 1 .. %d loop
          call spec.move(2, 1);
          call spec.move(1, 2);
        end loop;
        insert into spec.done values (1);
      end $$]]):format(MOVES / 2))
    await_sessions()
    assert.same({ moves = MOVES + 1, from_where_it_was = MOVES + 1 }, here.db:row [[
      select count(*) as moves, count(*) filter (where a.from_flow_slug is not distinct from a.before) as from_where_it_was
      from (select a.*, lag(a.to_flow_slug) over (order by a.activated_at) as before from pgflow.alias_activations a) a]])
    local runs = here.db:row [[
      select count(*) filter (where r.flow_slug = 'order_v1') as v1, count(*) filter (where r.flow_slug = 'order_v2') as v2,
        count(*) filter (where r.status <> 'completed') as others
      from pgflow.runs r]]
    assert.is_true(runs.v1 > MOVES / 2 and runs.v2 > MOVES / 2, ("%d and %d runs"):format(runs.v1, runs.v2))
    assert.equal(0, runs.others)
    assert_no_deadlock()
    here:assert_consistent()
  end)
end)
