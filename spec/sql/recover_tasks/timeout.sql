-- A task is put back strictly after its effective timeout and 30 s, whoever holds it; the lost attempt stays counted.
begin;
\ir ../support/fixtures.sql
select plan(7);

select spec.deploy('greet', spec.step('a', p_options => '{"timeout": 10, "maxAttempts": 1}'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.age_claim('a', interval '33 seconds');
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, '33 s: it may still run');
select spec.age_claim('a', interval '41 seconds');
select results_eq(
  $$ select run_id, step_slug, task_index, reason, outcome from pgflow.recover_tasks(spec.worker()) $$,
  $$ values (spec.run(), 'a', 0, 'timeout', 'requeued') $$, '41 s: it is put back'
);
select is(
  (select (t.status, t.attempts_count, spec.nth_claim(t.claim_no), t.requeued_count, t.requeued_dead_count, t.started_at, t.last_worker_id)::text from spec.task('a') t),
  '(queued,1,1,1,0,,)', 'the task'
);
select ok(spec.hidden_s_of('a') <= 0, 'its message is visible');
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'a repeated call finds nothing');
select is((select (spec.nth_claim(claim_no), attempt)::text from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'task'), '(2,2)', 'the next claim, although attempts are used up');
select is(spec.complete('a', '1', p_claim_no => 1), 'stale', 'the late result is refused');

select * from finish();
rollback;
