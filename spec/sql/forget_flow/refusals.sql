-- Refused with the reason: unknown, active, with runs, or among a live worker's handlers. Nothing changes then.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select spec.start('greet');
select from pgflow.cancel_run(spec.run());
select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true), spec.flow('greet_v2', array[spec.step('b')], p_alias => 'greet')]);
create temp table before as select spec.definitions() as d;
select throws_ok($$ select pgflow.forget_flow('greet') $$, '42704', 'there is no flow ''greet''', 'unknown: an alias is no version');
select throws_ok($$ select pgflow.forget_flow('greet_v2') $$, '55000', 'flow greet_v2 is the active version of alias greet', 'active');
select throws_ok($$ select pgflow.forget_flow('greet_v1') $$, '55000', 'flow greet_v1 still has runs: 1', 'with a run, though it has ended');
delete from pgflow.step_tasks; delete from pgflow.step_states; delete from pgflow.runs;
select throws_ok($$ select pgflow.forget_flow('greet_v1') $$, '55000', format('worker %s of queue greet_v1 still serves flow greet_v1', spec.worker()), 'handled');
update pgflow.workers set deprecated_at = now();
select throws_ok($$ select pgflow.forget_flow('greet_v1') $$, '55000', null, 'a deprecated worker lives too');
update pgflow.workers set deprecated_at = null;
select is(spec.definitions(), (select d from before), 'nothing changed');

select * from finish();
rollback;
