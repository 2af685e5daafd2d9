-- A queue whose table is gone stops no pruning.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select from pgflow.cancel_run(spec.run());
select pgmq.drop_queue('greet');
select is(pgflow.prune_data_older_than('0 s'), 0::bigint, 'what ends now has not ended before now');
update pgflow.runs set started_at = now() - interval '2 s', cancelled_at = now() - interval '1 s';
select is(pgflow.prune_data_older_than('0 s'), 1::bigint, 'pruned');

select * from finish();
rollback;
