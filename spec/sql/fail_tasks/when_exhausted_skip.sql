-- F3: a map whose step may be skipped: its siblings become skipped and the run completes.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('prices', spec.map('price', p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip'));
select spec.start('prices', '[1, 2, 3, 4]');
select spec.claim_all('prices', 3);
select spec.complete('price', '1', 2);
select is(spec.fail('price', 'boom', 0), 'done', 'the answer');
select is(spec.tasks('price'), '{failed,skipped,completed,skipped}', 'the tasks');
select is((select (s.status, s.skip_reason, s.error_message, s.remaining_tasks, s.output, s.skipped_at is not null)::text from spec.state('price') s),
  '(skipped,handler_failed,boom,,,t)', 'the step');
select is((select (r.status, r.output, r.error_message, r.remaining_steps)::text from spec.run_row() r), '(completed,,,0)', 'the run is completed, without an output');
select is(spec.messages('prices'), 0::bigint, 'the queue is empty');
select is(spec.complete('price', '1', 1), 'stale', 'a late result is refused');

select * from finish();
rollback;
