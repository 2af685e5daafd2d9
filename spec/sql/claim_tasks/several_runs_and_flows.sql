-- One batch may hold tasks of several runs and flows of the queue.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy_registry(array[
  spec.flow('one', array[spec.step('a')], p_routing => '{"a": "shared"}'), spec.flow('two', array[spec.step('a')], p_routing => '{"a": "shared"}')], 'shared');
select spec.start('one', '{"n": 1}', 1);
select spec.start('two', '{"n": 2}', 2);
select spec.start('one', '{"n": 3}', 3);
select results_eq(
  $$ select flow_slug, run_id, input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'shared', 10) where kind = 'task' $$,
  $$ values ('one', spec.run(1), '{"n": 1}'::jsonb), ('two', spec.run(2), '{"n": 2}'), ('one', spec.run(3), '{"n": 3}') $$, 'all three'
);

select * from finish();
rollback;
