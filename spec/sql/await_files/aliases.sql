-- The aliases whose locks a deployment of luaflow dev needs: those of all flows that the files change, of whichever queue,
-- and none where they change no definition, however many clients have started runs and stay open.
begin;
\ir ../support/fixtures.sql
select plan(10);

create function spec.locked(variadic p_flows jsonb[]) returns text language sql as $$
  select array_to_string(pgflow._files_aliases(jsonb_build_object('flows', to_jsonb(p_flows))), ' ');
$$;
create function spec.version(p_alias text, p_n int, p_retained boolean default false, p_step text default 'a') returns jsonb language sql as $$
  select spec.flow(p_alias || '_v' || p_n, array[spec.step(p_step)], p_alias => p_alias, p_routing => jsonb_build_object(p_step, p_alias),
    p_retained => p_retained);
$$;
select pgflow.mark_development();
select is(spec.locked(spec.version('orders', 1)), '', 'a new alias: nobody can start it');
select from pgflow.deploy_files(spec.worker(), 'spec', 'orders', jsonb_build_object('flows', jsonb_build_array(spec.version('orders', 1))), 1,
  jsonb_build_array(jsonb_build_object('flows', jsonb_build_array(spec.version('orders', 1), spec.version('bills', 1)))), '{}', 1, 2);
select is(spec.locked(spec.version('orders', 1), spec.version('bills', 1)), '', 'nothing changes');
select is(spec.locked(spec.version('orders', 1), spec.version('bills', 1, true), spec.version('bills', 2)), 'bills', 'one moves');
select is(spec.locked(spec.version('orders', 1)), 'bills', 'one is retired');
select is(spec.locked(spec.version('orders', 1), spec.version('bills', 1, p_step => 'b')), 'bills', 'one is recreated');
select is(spec.locked(spec.version('orders', 1), spec.version('bills', 1) || '{"alias": "invoices"}'), 'bills invoices', 'one gets another alias');
select is(spec.locked(spec.version('orders', 1), spec.version('bills', 1), spec.version('new', 1)), '', 'one comes');
select lives_ok($$ select pgflow.await_files(spec.worker(), 'spec', '[]', 9) $$, 'nobody holds anything');
select from pgflow.deploy_files(spec.worker(), 'spec', 'orders', jsonb_build_object('flows', jsonb_build_array(spec.version('orders', 1))), 1,
  jsonb_build_array(jsonb_build_object('flows', jsonb_build_array(spec.version('orders', 1)))), '{}', 3, 4);
select is(spec.locked(spec.version('orders', 1)), '', 'what was retired stays so');
select is(spec.locked(spec.version('orders', 1), spec.version('bills', 1)), 'bills', 'and comes back');

select * from finish();
rollback;
