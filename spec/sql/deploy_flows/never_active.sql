-- A version that was never active is activated by its deployment, also without the code of the version that it replaces (I2); coverage of the worker's queue still applies (I6).
begin;
\ir ../support/fixtures.sql
select plan(12);

create function spec.version(p_n int, p_queue text, p_retained boolean default false) returns jsonb language sql as $$
  select spec.flow('order_v' || p_n, array[spec.step('a')], p_alias => 'orders', p_routing => jsonb_build_object('a', p_queue), p_retained => p_retained);
$$;
create function spec.active() returns text language sql as $$ select active_flow_slug from pgflow.flow_aliases $$;
select spec.deploy_registry(array[spec.version(1, 'main')], 'main');
select spec.start('orders');
select results_eq($$ select status, alias_status, message from spec.deploy_registry(array[spec.version(2, 'other')], 'other', 2) $$,
  $$ values ('created', 'activated', 'alias orders: order_v1 -> order_v2') $$, 'on another queue');
select is(spec.active(), 'order_v2', 'the alias moves');
select results_eq($$ select to_flow_slug from pgflow.alias_activations order by activation_id $$, $$ values ('order_v1'), ('order_v2') $$, 'which the history has');

-- The same queue: the replaced version's started run can reach it.
select results_eq($$ select flow_slug, status, differences from spec.deploy_registry(array[spec.version(3, 'main')], 'main', 3) where status <> 'created' $$,
  $$ values ('order_v1', 'uncovered', array[format('Step a: run %s is started and can still reach the step', spec.run())]) $$, 'refused with the steps');
select is(spec.active(), 'order_v2', 'the alias stays');
select pgflow.cancel_run(spec.run(), 'spec');
select results_eq($$ select status, alias_status from spec.deploy_registry(array[spec.version(3, 'main')], 'main', 3) $$, $$ values ('created', 'activated') $$, 'with that run over');
select results_eq($$ select status, alias_status from spec.deploy_registry(array[spec.version(4, 'main')], 'main', 4) $$, $$ values ('created', 'activated') $$,
  'that a version is active until now holds no queue');
select is(spec.active(), 'order_v4', 'the newest is active');

-- Retained at first, then active: it was never active before.
select spec.deploy_registry(array[spec.version(5, 'fifth', true)], 'fifth', 5);
select is(spec.active(), 'order_v4', 'retained');
select is((select alias_status from spec.deploy_registry(array[spec.version(5, 'fifth')], 'fifth', 5)), 'activated', 'then activated');
select is((select alias_status from spec.deploy_registry(array[spec.version(2, 'other')], 'other', 2)), 'kept', 'one that was replaced is not');
select is_empty($$ select from pgflow.check_invariants(true) $$, 'and all is consistent');

select * from finish();
rollback;
