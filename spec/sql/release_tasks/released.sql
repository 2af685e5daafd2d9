-- F13: a released task is claimable at once; it costs no attempt and stores no error.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.release('a'), 'done', 'the answer');
select is((select (t.status, t.attempts_count, spec.nth_claim(t.claim_no), t.error_message, t.started_at)::text from spec.task('a') t), '(queued,0,1,,)', 'the task');
select ok(spec.hidden_s_of('a') <= 0, 'its message is visible');
select is((select (spec.nth_claim(claim_no), attempt)::text from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'task'), '(2,1)', 'the next claim is the first attempt again');
select is(spec.complete('a', '1'), 'done', 'and completes');

select * from finish();
rollback;
