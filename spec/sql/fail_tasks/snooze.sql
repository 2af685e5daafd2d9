-- A free entry is put back for its delay, costs no attempt and stores its message.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.fail('a', 'not ready', p_delay => 25, p_free => true), 'done', 'even at the last attempt');
select is((select (t.status, t.attempts_count, t.error_message)::text from spec.task('a') t), '(queued,0,"not ready")', 'the task');
select ok(spec.about(spec.hidden_s_of('a'), 25), 'hidden for the delay');
select is(spec.complete('a', p_claim_no => 1), 'already', 'its claim is settled');
select spec.make_visible('greet');
select is((select (spec.nth_claim(claim_no), attempt)::text from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'task'), '(2,1)', 'the next claim is the first attempt again');

select * from finish();
rollback;
