-- The fourth time fails for good and is not counted; tasks of ended steps and runs are not revived.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 50}'));
select spec.start('greet', p_run => n) from generate_series(1, 2) n;
select spec.claim_all('greet');
select from pgflow.cancel_run(spec.run(2));
update pgflow.step_tasks set requeued_count = 3;
select spec.age_claim('a', interval '91 seconds', p_run => n) from generate_series(1, 2) n;
select is(pgflow.requeue_stalled_tasks(), 0, 'none is put back');
select is((select (t.status, t.permanently_stalled_at is not null, t.requeued_count)::text from spec.task('a') t), '(failed,t,3)', 'the task');
select is((spec.run_row()).status, 'failed', 'its run has ended');
select is((spec.task('a', 0, 2)).status, 'cancelled', 'the cancelled run');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
