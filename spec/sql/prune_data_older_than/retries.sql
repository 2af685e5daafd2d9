-- A run whose retry still exists may go.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select from pgflow.cancel_run(spec.run());
select from pgflow.retry_run(spec.run());
update pgflow.runs set started_at = now() - interval '9 days', cancelled_at = cancelled_at - interval '9 days' ;
select is(pgflow.prune_data_older_than('1 day'), 1::bigint, 'pruned');
select is((select (status, restart_of_run_id)::text from pgflow.runs), format('(started,%s)', spec.run()), 'the retry goes on');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
