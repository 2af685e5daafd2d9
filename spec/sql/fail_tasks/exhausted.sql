-- The last attempt's failure fails the step and the run.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 2}'), spec.step('b', '{a}'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', 'first', p_delay => 0);
select spec.claim_all('greet');
select is(spec.fail('a', 'second', p_delay => 0), 'done', 'the answer');
select is((select (t.status, t.attempts_count, t.error_message)::text from spec.task('a') t), '(failed,2,second)', 'the task');
select is((select (r.status, r.error_message, r.error_step_slug, r.failed_at is not null, r.output)::text from spec.run_row() r), '(failed,second,a,t,)', 'the run');
select is(spec.states(), '{"a": "failed", "b": "created"}'::jsonb, 'what waits for it stays created');
select is(spec.messages('greet'), 0::bigint, 'the queue is empty');

select * from finish();
rollback;
