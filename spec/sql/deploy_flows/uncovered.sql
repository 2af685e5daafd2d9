-- A registry that lacks a pair which can still appear on the worker's queue is refused; nothing changes. Once the last run has ended it is accepted (I6).
begin;
\ir ../support/fixtures.sql
select plan(11);

-- v1 with a run under way, then v2 active on the same queue, v1 retained.
create function spec.v1(p_retained boolean) returns jsonb language sql as $$
  select spec.flow('order_v1', array[spec.step('a'), spec.step('b', array['a'])], p_alias => 'orders', p_routing => '{"a": "main", "b": "main"}', p_retained => p_retained);
$$;
create function spec.v2() returns jsonb language sql as $$
  select spec.flow('order_v2', array[spec.step('a')], p_alias => 'orders', p_routing => '{"a": "main"}');
$$;
select spec.deploy_registry(array[spec.v1(false)], 'main');
select spec.start('orders');
select spec.deploy_registry(array[spec.v2(), spec.v1(true)], 'main', p_generation => 2);

create temp table before as select spec.definitions() as definitions;
select results_eq($$ select flow_slug, status, alias_status, differences, message from spec.deploy_registry(array[spec.v2()], 'main', p_generation => 3) where status <> 'verified' $$,
  $$ values ('order_v1', 'uncovered', 'kept',
    array[format('Step a: run %s is started and can still reach the step', spec.run()), format('Step b: run %s is started and can still reach the step', spec.run())],
    'tasks of these steps can still arrive on queue main, and this worker lacks their handlers: add the flow with luaflow.retain to its flows') $$,
  'dropped too early: refused, with what holds it');
select is(spec.definitions(), (select definitions from before), 'nothing changed');

select spec.claim_all('main');
select spec.claim('main', p_generation => 2);
select is(spec.complete('a'), 'done', 'its first step ends');
select results_eq($$ select step_slug from pgflow.uncovered_pairs('main', '{order_v2}', '{a}') $$, $$ values ('b') $$, 'only the second is reachable now');
select spec.claim('main', p_generation => 2);
select is(spec.complete('b'), 'done', 'and the second');
select is_empty($$ select from pgflow.uncovered_pairs('main', '{order_v2}', '{a}') $$, 'no pair is left');
select results_eq($$ select flow_slug, status from spec.deploy_registry(array[spec.v2()], 'main', p_generation => 3) $$, $$ values ('order_v2', 'verified') $$, 'accepted');

-- The active version of an alias must be there, whatever runs exist.
create temp table active as select spec.definitions() as definitions;
select results_eq($$ select flow_slug, status, differences from spec.deploy_registry(array[spec.v1(false)], 'main', p_generation => 4) where status = 'uncovered' $$,
  $$ values ('order_v2', 'uncovered', array['Step a: it is the active version of alias orders']) $$, 'a stale registry on the active version''s queue is refused');
select is(spec.definitions(), (select definitions from active), 'nothing changed');

-- Other queues are not its business.
select is_empty($$ select from spec.deploy_registry(array[spec.flow('other', array[spec.step('a')])], 'other', 2, p_function => 'other') where status <> 'created' $$, 'a worker of another queue is not asked');
select is_empty($$ select from pgflow.check_invariants(true) $$, 'and all is consistent');

select * from finish();
rollback;
