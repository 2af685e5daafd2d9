-- A flow that has runs keeps its graph: their counts are those of its steps.
begin;
\ir ../support/fixtures.sql
select plan(5);

select pgflow.create_flow('greet');
select pgflow.add_step('greet', 'a');
select spec.start('greet');
select throws_ok($$ select pgflow.add_step('greet', 'b') $$, '55000', 'flow greet has runs, which lack the step: a changed graph needs a new slug', 'refused');
select lives_ok($$ select pgflow.add_step('greet', 'a') $$, 'the same step again is no change');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');
select is((select count(*) from pg_locks l where l.pid = pg_backend_pid() and l.mode = 'ExclusiveLock'
  and l.relation = ('pgflow.' || pgflow._alias_lock('greet'))::regclass), 1::bigint, 'no run starts while a step is added');
select pgflow.cancel_run(spec.run());
select pgflow.prune_data_older_than('0');
select throws_ok($$ select pgflow.add_step('greet', 'b') $$, '55000', null, 'an ended run can be retried');

select * from finish();
rollback;
