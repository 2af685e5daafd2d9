-- Tasks of every queue past their effective timeout + 30 s are put back; nobody is judged dead.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('one', spec.step('a', p_options => '{"timeout": 10}'), spec.step('b', p_options => '{"timeout": 10}'));
select spec.deploy_registry(array[spec.flow('two', array[spec.step('a')])], p_worker => 2);
select spec.start('one', p_run => 1);
select spec.start('two', p_run => 2);
select spec.claim('one');
select spec.claim('two', p_worker => 2);
select spec.age_claim('a', interval '41 seconds');
select spec.age_claim('b', interval '33 seconds');
select spec.age_claim('a', interval '91 seconds', p_run => 2);
update pgflow.workers set stopped_at = now();
select is(pgflow.requeue_stalled_tasks(), 2, 'one in each queue');
select is((select (t.status, t.requeued_count, t.requeued_dead_count, t.attempts_count)::text from spec.task('a') t), '(queued,1,0,1)', 'a task');
select is((spec.task('a', 0, 2)).status, 'queued', 'that of the other queue');
select is((spec.task('b')).status, 'started', 'a stopped worker''s, in time');
select ok(spec.hidden_s_of('a') <= 0 and spec.hidden_s_of('a', 0, 2) <= 0 and spec.hidden_s_of('b') > 0, 'the messages');
select is(pgflow.requeue_stalled_tasks(), 0, 'a repeated call');
drop table pgmq.q_two cascade;
select spec.age_claim('b', interval '41 seconds');
select is(pgflow.requeue_stalled_tasks(), 1, 'a queue that is gone stops nobody');
select is_empty($$ select * from pgflow.check_invariants(true) where invariant <> 'queue exists' $$, 'all is consistent');

select * from finish();
rollback;
