-- Every version, alias and worker function by name.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')], 'greetings');
select pgflow.track_worker_function('idle');
select results_eq(
  $$ select kind, name from pgflow.names where name <> (select function_name from pgflow.workers) order by kind, name $$,
  $$ values ('alias', 'greet'), ('flow', 'greet_v1'), ('function', 'idle') $$, 'each with its kind'
);

select * from finish();
rollback;
