-- A permanent failure uses no further attempt.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 9}'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.fail('a', 'no', p_permanent => true), 'done', 'the answer');
select is((select (t.status, t.attempts_count, t.error_message, t.failed_at is not null)::text from spec.task('a') t), '(failed,1,no,t)', 'the task');
select is((select (s.status, s.error_message)::text from spec.state('a') s), '(failed,no)', 'the step');
select is((select (r.status, r.error_message, r.error_step_slug)::text from spec.run_row() r), '(failed,no,a)', 'the run');
select is(spec.messages('greet') || ' ' || spec.archived('greet'), '0 1', 'the message is archived');

select * from finish();
rollback;
