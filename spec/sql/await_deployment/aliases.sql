-- The aliases whose locks a deployment needs: those that it moves, and no others.
begin;
\ir ../support/fixtures.sql
select plan(8);

create function spec.locked(variadic p_flows jsonb[]) returns text language sql as $$
  select array_to_string(pgflow._registry_aliases(jsonb_build_object('flows', to_jsonb(p_flows))), ' ');
$$;
create function spec.version(p_alias text, p_n int, p_retained boolean default false) returns jsonb language sql as $$
  select spec.flow(p_alias || '_v' || p_n, array[spec.step('a')], p_alias => p_alias, p_routing => '{"a": "shared"}', p_retained => p_retained);
$$;
select is(spec.locked(spec.version('orders', 1)), '', 'a new alias: nobody can start it');
select from spec.deploy_registry(array[spec.version('orders', 1), spec.version('bills', 1)], 'shared');
select is(spec.locked(spec.version('orders', 1), spec.version('bills', 1)), '', 'nothing changes');
select is(spec.locked(spec.version('orders', 1, true), spec.version('orders', 2), spec.version('bills', 1)), 'orders', 'one moves');
select is(spec.locked(spec.version('orders', 1), spec.version('orders', 2, true), spec.version('bills', 1)), '', 'a version that is only retained');
select is(spec.locked(spec.version('orders', 1)), '', 'one leaves');
select from spec.deploy_registry(array[spec.version('orders', 1, true), spec.version('orders', 2), spec.version('bills', 1)], 'shared', p_worker => 2);
select is(spec.locked(spec.version('orders', 1), spec.version('bills', 1)), '', 'a stale replica');
select is(spec.locked(spec.version('orders', 1), spec.version('orders', 2, true), spec.version('bills', 1)), 'orders', 'a rollback');
select lives_ok($$ select pgflow.await_deployment(spec.worker(), 'spec', 'shared', '{"flows": []}') $$, 'nobody holds anything');

select * from finish();
rollback;
