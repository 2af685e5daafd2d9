-- F5 in a batch: what comes before it in the run is done, what comes behind is stale and cancelled, other runs get on.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('prices', spec.step('before'), spec.step('list'), spec.step('behind'), spec.map('price', 'list'));
select spec.start('prices', p_run => n) from generate_series(1, 2) n;
select spec.claim_all('prices');
select is(
  spec.complete_batch('{1,1,2,1,2}', '{behind,list,list,before,behind}', '{0,0,0,0,0}', array['3', '"bad"', '[5]', '1', '3']::jsonb[]),
  '{stale,done,done,done,done}', 'the answers'
);
select is((spec.task('behind')).status || ' ' || (spec.task('before')).status || ' ' || (spec.task('list')).status, 'cancelled completed failed', 'the tasks of the failed run');
select is((spec.run_row()).status, 'failed', 'which failed');
select is(spec.states(2), '{"before": "started", "list": "completed", "behind": "completed", "price": "started"}'::jsonb, 'the other run got on');
select is((select count(*) from pgmq.q_prices where (message ->> 'run_id')::uuid = spec.run()), 0::bigint, 'no message of the failed run is left');

select * from finish();
rollback;
