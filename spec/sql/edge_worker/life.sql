-- The life of a worker of pgflow under its role alone: it registers, compiles, polls, starts, completes, fails, beats, is deprecated and stops.
begin;
\ir ../support/fixtures.sql
select plan(23);

create temp table flow as select spec.flow('Greet', array[spec.step('a'), spec.step('b', '{a}', '{"maxAttempts": 1}')]) -> 'shape' as shape;
grant select on flow to pgflow_compat;
create function pg_temp.poll() returns bigint[] language sql volatile as $$
  select array_agg(m.msg_id order by m.msg_id)
  from pgmq.read_with_poll(queue_name => 'Greet', vt => 2, qty => 10, max_poll_seconds => 1, poll_interval_ms => 100) m
$$;
create temp table polled (msg_ids bigint[]);
grant insert, select, delete on polled to pgflow_compat;

set local role pgflow_compat;
insert into pgflow.workers (queue_name, worker_id, function_name) values ('Greet', '00000000-0000-4000-9000-000000000001', 'greet-worker');
select pgflow.track_worker_function('greet-worker');
select is(pgflow.ensure_flow_compiled('Greet', shape, false), '{"status": "compiled", "differences": []}', 'it compiles its flow') from flow;
select is(pgflow.ensure_flow_compiled('Greet', shape, true), '{"status": "verified", "differences": []}', 'and again') from flow;
reset role;
select is((select queue_name from pgflow.workers), 'greet', 'its row has the name of the queue as PGMQ has it');
select spec.start('Greet', '{"who": "ada"}');

set local role pgflow_compat;
insert into polled select pg_temp.poll();
select results_eq(
  $$ select s.step_slug, s.input, s.task_index, s.flow_input from polled, pgflow.start_tasks(flow_slug => 'Greet', msg_ids => polled.msg_ids, worker_id => '00000000-0000-4000-9000-000000000001') s $$,
  $$ values ('a', '{}'::jsonb, 0, '{"who": "ada"}'::jsonb) $$, 'it starts the task that it polled');
select is((select array_agg(s.msg_id) from polled, pgflow.set_vt_batch('Greet', polled.msg_ids, '{30}') s), (select msg_ids from polled), 'it may move what it has polled');
select is((select status from pgflow.complete_task('00000000-0000-4000-8000-000000000001', 'a', 0, '"hello"')), 'completed', 'it completes');
delete from polled;
insert into polled select pg_temp.poll();
select is((select s.input from polled, pgflow.start_tasks('Greet', polled.msg_ids, '00000000-0000-4000-9000-000000000001') s), '{"a": "hello"}', 'the next step');
update pgflow.workers w set last_heartbeat_at = clock_timestamp() where w.worker_id = '00000000-0000-4000-9000-000000000001';
reset role;
select is((select (in_flight, live_workers, uncovered_pairs)::text from pgflow.queue_status), '(1,1,{})', 'it counts as a worker, and nothing is uncovered');
select is_empty($$ select * from pgflow.doctor_queues() where level <> 'ok' $$, 'doctor finds nothing');

-- An hour later: the worker has vanished, and nobody has polled.
select spec.jump(interval '1 hour', 'greet');
set local role pgflow_compat;
select is(pgflow.requeue_stalled_tasks(), 1, 'what stalled is put back');
delete from polled;
insert into polled select pg_temp.poll();
select is((select s.step_slug from polled, pgflow.start_tasks('Greet', polled.msg_ids, '00000000-0000-4000-9000-000000000001') s), 'b', 'and starts again');
select is((select (status, error_message)::text from pgflow.fail_task('00000000-0000-4000-8000-000000000001', 'b', 0, 'boom')), '(failed,boom)', 'it fails, for its last attempt was used');
reset role;
select is((spec.run_row()).status, 'failed', 'the run has failed');
select is(spec.messages('greet'), 0::bigint, 'no message is left');

set local role pgflow_compat;
update pgflow.workers w set deprecated_at = clock_timestamp() where w.worker_id = '00000000-0000-4000-9000-000000000001';
select ok((select w.deprecated_at is not null from pgflow.workers w), 'it is deprecated');
select pgflow.mark_worker_stopped('00000000-0000-4000-9000-000000000001');
select ok((select w.stopped_at is not null from pgflow.workers w), 'it has stopped');
reset role;

-- What is not a part of that life.
select is(spec.outcome_as('pgflow_compat', 'delete from pgflow.workers'), '42501', 'it deletes no worker');
select is(spec.outcome_as('pgflow_compat', 'update pgflow.workers set generation = 7'), '42501', 'it deploys nothing');
select is(spec.outcome_as('pgflow_compat', 'delete from pgmq.q_greet'), '42501', 'it deletes no message');
select is(spec.outcome_as('pgflow_compat', $$ update pgmq.q_greet set message = '{}' $$), '42501', 'it rewrites no message');
select is(spec.outcome_as('pgflow_compat', 'select from pgmq.a_greet'), '42501', 'it reads no archive');
select is(spec.outcome_as('pgflow_compat', 'select from pgflow.step_tasks'), '42501', 'it reads no task');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
