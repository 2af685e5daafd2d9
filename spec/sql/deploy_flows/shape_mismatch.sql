-- In production another shape under a deployed slug is refused, with the differences, and nothing at all changes (I1).
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
create temp table before as select spec.definitions() as definitions;
select results_eq(
  $$ select flow_slug, status, alias_status, differences from spec.deploy_registry(array[
    spec.flow('greet', array[spec.step('a', p_options => '{"timeout": 7}'), spec.map('b', 'a')], '{"timeout": 99}')], p_generation => 2) $$,
  $$ values ('greet', 'shape_mismatch', 'kept', array['Step at index 1: kind: in the modules ''map'', in the database ''single''']) $$, 'the answer'
);
select is(spec.definitions(), (select definitions from before), 'every definition, option, worker and handler is as it was');
create temp table refused as select * from pgflow.deploy_flows(gen_random_uuid(), 'unheard of', 'greet', jsonb_build_object(
  'flows', jsonb_build_array(spec.flow('greet', array[spec.step('z')]))), 1);
select is(
  (select count(*)::int from pgflow.worker_functions where function_name = 'unheard of'), 0, 'nor does it leave a worker function'
);

select * from finish();
rollback;
