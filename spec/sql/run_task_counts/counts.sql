-- How many tasks of a run wait and are claimed.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('one', array[spec.map('m')])]);
select spec.start('one', '[1, 2, 3, 4]');
select spec.claim('one', 1);
select results_eq($$ select status, queued, started from pgflow.run_task_counts(spec.run(1)) $$, $$ values ('started', 3::bigint, 1::bigint) $$, 'one of four is claimed');
select from pgflow.cancel_run(spec.run(1));
select results_eq($$ select status, queued, started from pgflow.run_task_counts(spec.run(1)) $$, $$ values ('cancelled', 0::bigint, 0::bigint) $$, 'none of a run that has ended');
select is_empty($$ select from pgflow.run_task_counts(spec.run(2)) $$, 'no row for an unknown run');

select * from finish();
rollback;
