-- Two queues hold messages of equal ids (I3). Whatever is done in one, not a row of the other changes: its messages, its archive, its tasks, states and runs.
begin;
\ir ../support/fixtures.sql
select plan(45);

select spec.deploy_registry(array[spec.flow(q, array[
  spec.map('a', p_options => '{"maxAttempts": 9, "timeout": 10}'), spec.step('s', p_when_exhausted => 'skip'), spec.step('f', p_options => '{"maxAttempts": 1}'), spec.step('b', '{a}')])], p_worker => n)
from (values ('one', 1), ('two', 2)) as v (q, n);
select setval(pg_get_serial_sequence('pgmq.q_' || q, 'msg_id'), 500) from unnest('{one,two}'::text[]) q;

-- Everything that belongs to a queue.
create function spec.rows_of(p_queue text) returns jsonb language plpgsql as $f$
declare
  v_rows jsonb;
begin
  execute format($$
    select jsonb_build_object(
      'messages', (select jsonb_agg(q order by q.msg_id) from pgmq.%1$I q), 'archive', (select jsonb_agg(q order by q.msg_id) from pgmq.%2$I q),
      'tasks', (select jsonb_agg(t order by t.run_id, t.step_slug, t.task_index) from pgflow.step_tasks t where t.queue_name = %3$L),
      'states', (select jsonb_agg(s order by s.run_id, s.step_slug) from pgflow.step_states s where s.flow_slug = %3$L),
      'runs', (select jsonb_agg(r order by r.run_id) from pgflow.runs r where r.flow_slug = %3$L)
    ) $$, 'q_' || p_queue, 'a_' || p_queue, p_queue) into v_rows;
  return v_rows;
end;
$f$;

-- Runs a statement of queue one: it changed something there, and nothing in queue two.
create function spec.only_one(p_what text, p_sql text) returns setof text language plpgsql as $f$
declare
  v_one jsonb := spec.rows_of('one');
  v_two jsonb := spec.rows_of('two');
begin
  execute p_sql;
  return next isnt(spec.rows_of('one'), v_one, p_what);
  return next is(spec.rows_of('two'), v_two, p_what || ': the other queue');
end;
$f$;

-- Queue two has queued, started, retried, completed and archived work under ids that queue one will have as well.
select spec.start('two', '[1, 2, 3, 4, 5, 6, 7, 8]', n) from generate_series(101, 109) n;
select spec.claim('two', 40, p_worker => 2);
select spec.complete('a', '1', 0, 101);
select spec.fail('a', 'no', 1, 101);
select spec.fail('f', 'no', p_run => 102);

select spec.only_one('send', $$ select spec.start('one', '[1, 2, 3, 4, 5, 6, 7, 8]', n) from generate_series(1, 9) n $$);
select is((select array_agg(message_id order by message_id) from pgflow.step_tasks where queue_name = 'one'), (select array_agg(message_id order by message_id) from pgflow.step_tasks where queue_name = 'two'), 'the ids are equal');
select spec.only_one('claim', $$ select spec.claim('one') $$);
select spec.only_one('complete', $$ select spec.complete('a', '1', 0, 1) $$);
select spec.only_one('complete several', $$ select spec.complete_batch('{1,1,2}', '{a,a,a}', '{1,2,0}', array['1', '2', '3']::jsonb[]) $$);
select spec.only_one('retry', $$ select spec.fail('a', 'no', 3, 1) $$);
select spec.only_one('snooze', $$ select spec.fail('a', 'later', 4, 1, p_delay => 60, p_free => true) $$);
select spec.only_one('release', $$ select spec.release('a', 5, 1) $$);
select spec.only_one('skip', $$ select spec.fail('s', 'no', 0, 1, p_permanent => true) $$);
select spec.only_one('skip by hand', $$ select pgflow._cascade_force_skip_steps(spec.run(2), 'a', 'by hand') $$);
select spec.only_one('fail', $$ select spec.fail('f', 'no', 0, 3) $$);
select spec.only_one('set visibility', $$ select pgflow.set_vt_batch('one', array[(spec.task('a', 0, 4)).message_id], '{77}') $$);
select spec.age_claim('a', interval '41 seconds', 0, n) from unnest('{4,101}'::int[]) n;
update pgflow.workers set last_heartbeat_at = clock_timestamp();
select spec.only_one('recover', $$ select pgflow.recover_tasks(spec.worker(1)) $$);
select spec.claim('one');
update pgflow.step_tasks set requeued_count = 3 where run_id = spec.run(4) and step_slug = 'a' and task_index = 0;
select spec.age_claim('a', interval '41 seconds', 0, 4);
update pgflow.workers set last_heartbeat_at = clock_timestamp();
select spec.only_one('fail for good what stalled', $$ select pgflow.recover_tasks(spec.worker(1)) $$);
select spec.only_one('reconcile', $$ select pgflow.reconcile_claims(spec.worker(1), '{}', '{}', '{}', '{}') $$);
select spec.only_one('start tasks', $$ select pgflow.start_tasks('one', array[(spec.task('a', 0, 5)).message_id], spec.worker(1)) $$);
select spec.only_one('complete a task', $$ select pgflow.complete_task(spec.run(5), 'a', 0, '1') $$);
select spec.only_one('cancel', $$ select pgflow.cancel_run(spec.run(5)) $$);
select spec.only_one('retry a run', $$ select pgflow.retry_run(spec.run(5)) $$);
select spec.only_one('claim of messages whose tasks have ended', $$ select pgmq.send('one', '{}'); update pgflow.step_tasks set status = 'skipped' where run_id = spec.run(6) and step_slug = 'a' and task_index = 0;
  update pgmq.q_one set enqueued_at = now() - interval '2 minutes'; select spec.claim('one') $$);
select spec.only_one('prune', $$ update pgflow.runs set started_at = now() - interval '3 days', failed_at = failed_at - interval '2 days', cancelled_at = cancelled_at - interval '2 days' where flow_slug = 'one';
  select pgflow.prune_data_older_than('1 day') $$);
select spec.only_one('come back', $$ drop table pgmq.q_one cascade; select spec.deploy_registry(array[spec.flow('one', array[
  spec.map('a', p_options => '{"maxAttempts": 9, "timeout": 10}'), spec.step('s', p_when_exhausted => 'skip'), spec.step('f', p_options => '{"maxAttempts": 1}'), spec.step('b', '{a}')])], p_worker => 3) $$);
select spec.only_one('delete', $$ select pgflow.delete_flow_and_data('one') $$);

select * from finish();
rollback;
