-- Retry, snooze, a permanent failure of another run, an unknown one: one call, each by its own rules.
begin;
\ir ../support/fixtures.sql
select plan(9);

select spec.deploy('prices', spec.map('price'), spec.step('a', p_when_exhausted => 'skip'));
select spec.start('prices', '[1, 2, 3]', 1);
select spec.start('prices', '[1]', 2);
select spec.claim_all('prices');
select is(
  spec.fail_batch('{1,1,2,1,9}', '{price,price,price,a,a}', '{0,1,0,0,0}', '{one,two,three,four,five}',
    array[null, 30, null, null, null]::float8[], '{f,f,t,t,f}', '{f,t,f,f,f}'),
  '{done,done,done,done,stale}', 'the answers'
);
select is((select (t.status, t.attempts_count, t.error_message)::text from spec.task('price', 0) t), '(queued,1,one)', 'retried');
select ok(spec.about(spec.hidden_s_of('price', 0), 10), 'after its backoff');
select is((select (t.status, t.attempts_count, t.error_message)::text from spec.task('price', 1) t), '(queued,0,two)', 'snoozed');
select ok(spec.about(spec.hidden_s_of('price', 1), 30), 'for its delay');
select is((spec.task('price', 2)).status, 'started', 'what was not named goes on');
select is((spec.run_row(2)).status, 'failed', 'the other run failed');
select is((select (s.status, s.skip_reason)::text from spec.state('a') s), '(skipped,handler_failed)', 'the step that may be skipped is');
select is((spec.run_row(1)).status, 'started', 'its run goes on');

select * from finish();
rollback;
