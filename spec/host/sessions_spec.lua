-- What several sessions of callers and operators do to each other: older snapshots, and data that is removed from two sides.
local files = require "spec.support.files"
local process = require "spec.support.process"
local scene = require "spec.support.scene"

describe("sessions of callers and operators", function()
  local here

  before_each(function()
    here = scene.open {}
    here.db:text(files.read "spec/sql/support/fixtures.sql")
  end)
  after_each(function() here:close() end)

  -- Runs SQL in a session of its own. "@other {sql}" is run by another session meanwhile.
  local function session(name, sql)
    local other = 0
    here.root:write(name .. ".sql", (sql:gsub("@other (%b{})", function(text)
      other = other + 1
      local file = ("%s_%d.sql"):format(name, other)
      here.root:write(file, text:sub(2, -2))
      return ("\\! psql -X -q -v ON_ERROR_STOP=1 -d \"%s\" -f '%s'"):format(here.db.conninfo, here.root:at(file))
    end)))
    return process.spawn {
      argv = { "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", here.db.conninfo, "-f", here.root:at(name .. ".sql") },
      name = name,
    }
  end

  local function await(one)
    assert.same({ code = 0 }, one:wait(60), one:errors())
    one:forget()
  end

  it("a transaction that saw the alias before it moved starts no run of the version that was dropped", function()
    here.db:text [[
      create function spec.version(p_n int, p_retained boolean default false) returns jsonb language sql as $$
        select spec.flow(
          'order_v' || p_n, array[spec.step('only')], p_alias => 'orders', p_routing => '{"only": "orders"}', p_retained => p_retained
        );
      $$;
      create table spec.answers (answer text);
      select count(*) from spec.deploy_registry(array[spec.version(1)], p_queue => 'orders')]]
    await(session("caller", [[
      begin isolation level repeatable read;
      select count(*) from pgflow.runs;
      @other {
        select from spec.deploy_registry(array[spec.version(1, true), spec.version(2)], p_queue => 'orders');
        select from spec.deploy_registry(array[spec.version(2)], p_queue => 'orders');
      }
      do $$
      begin
        perform pgflow.start_flow('orders', '{}');
      exception when serialization_failure then
        insert into spec.answers values ('try again');
      end $$;
      commit;
      begin isolation level serializable;
      insert into spec.answers select r.flow_slug from pgflow.start_flow('orders', '{}') r;
      commit;
    ]]))
    assert.equal("try again, order_v2", here.db:text "select string_agg(a.answer, ', ') from spec.answers a")
    assert.equal(0, here.db:number [[
      select count(*) from pgflow.uncovered_pairs('orders', '{order_v2}', '{only}')]])
    here:assert_consistent()
  end)

  it("a flow is not deleted while its ended runs are pruned: whoever comes second waits for no row of the first", function()
    here.db:text [[
      create table spec.answers (answer text);
      select spec.deploy('greet', spec.step('only'));
      select count(c.run_id) from generate_series(1, 20) n, pgflow.start_flow('greet', to_jsonb(n)) r, pgflow.cancel_run(r.run_id) c]]
    await(session("pruner", [[
      begin;
      select pgflow.prune_data_older_than('0', 10);
      @other {
        set statement_timeout = '10 s';
        do $$
        begin
          perform pgflow.delete_flow_and_data('greet');
        exception when lock_not_available then
          insert into spec.answers values (sqlerrm);
        end $$;
      }
      commit;
    ]]))
    assert.equal("could not lock the runs of the flow: open transactions work on some of them",
      here.db:text "select a.answer from spec.answers a")
    assert.equal(10, here.db:number "select count(*) from pgflow.runs")
    here.db:text "select pgflow.delete_flow_and_data('greet')"
    here:assert_consistent()
  end)

  it("a deployment does not wait for whoever switches its function, who may come to wait for it", function()
    here.db:text [[
      create table spec.answers (answer text);
      select spec.deploy('greet', spec.step('only'))]]
    await(session("operator", [[
      begin;
      select pgflow.disable_worker_functions('{spec}');
      @other {
        set statement_timeout = '10 s';
        do $$
        begin
          perform spec.deploy('greet', spec.step('only'));
        exception when lock_not_available then
          insert into spec.answers values (sqlerrm);
        end $$;
      }
      select pgflow.retire_alias('greet');
      commit;
    ]]))
    assert.equal("could not lock worker function spec: an open transaction enables or disables it",
      here.db:text "select a.answer from spec.answers a")
    here:assert_consistent()
  end)
end)
