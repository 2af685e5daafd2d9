-- The old callback: retries with backoff, then ends the run; duplicates and late calls move nothing.
begin;
\ir ../support/fixtures.sql
select plan(7);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')], '{"maxAttempts": 2, "baseDelay": 5}')]);
select spec.start('greet');
select spec.claim_all('greet');
select is((select (t.status, t.attempts_count, t.error_message)::text from pgflow.fail_task(spec.run(), 'a', 0, 'boom') t), '(queued,1,boom)', 'the row');
select ok(spec.about(spec.hidden_s_of('a'), 10), 'its backoff');
update pgmq.q_greet set vt = clock_timestamp() + interval '3 seconds';
select is((select t.error_message from pgflow.fail_task(spec.run(), 'a', 0, 'again') t), 'boom', 'a duplicate returns the row as it is');
select ok(spec.about(spec.hidden_s_of('a'), 3), 'and does not move the delay');
select spec.make_visible('greet');
select spec.claim_all('greet');
select is((select (t.status, t.attempts_count, t.error_message)::text from pgflow.fail_task(spec.run(), 'a', 0, 'end') t), '(failed,2,end)', 'the last attempt');
select is((select (r.status, r.error_message)::text from spec.run_row() r), '(failed,end)', 'ends the run');
select is_empty($$ select * from pgflow.fail_task(spec.run(9), 'a', 0, 'x') $$, 'an unknown task gives no row');

select * from finish();
rollback;
