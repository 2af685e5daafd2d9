-- A run ends while its tasks, queued and started, sit in four queues: none of its messages is left in any of them, and those of another run stay.
begin;
\ir ../support/fixtures.sql
select plan(15);

create temp table registry as select array[spec.flow('wide', array[
  spec.map('a', p_options => '{"maxAttempts": 1, "timeout": 10}'), spec.map('b'), spec.map('c'), spec.step('d'),
  spec.step('x', '{d}', p_only_if => '{"d": "on"}', p_when_unmet => 'fail'), spec.map('y', 'd')
], p_routing => '{"a": "q1", "b": "q2", "c": "q3", "d": "q4", "x": "q1", "y": "q2"}')] as flows;
select spec.deploy_registry(flows, 'q' || n, p_worker => n) from registry, generate_series(1, 4) n;
create function spec.left_of(p_run int) returns text language sql as $f$
  select string_agg(q.n::text, ' ' order by q.queue) from (
    select t.queue_name as queue, count(m.msg_id) as n
    from pgflow.step_tasks t
    left join (
      select 'q1' as queue, msg_id from pgmq.q_q1 union all select 'q2', msg_id from pgmq.q_q2 union all select 'q3', msg_id from pgmq.q_q3 union all select 'q4', msg_id from pgmq.q_q4
    ) m on m.queue = t.queue_name and m.msg_id = t.message_id
    where t.run_id = spec.run(p_run)
    group by t.queue_name
  ) q;
$f$;
select spec.start('wide', '[1, 2, 3]', n) from generate_series(1, 6) n;
select is(spec.left_of(n), '3 3 3 1', 'run ' || n) from generate_series(1, 6) n;
-- Of each run the first element of every map is started; d waits for its turn.
select spec.claim('q' || n, p_worker => n) from generate_series(1, 4) n;
update pgflow.step_tasks set status = 'queued', started_at = null where task_index > 0;

select spec.fail('a', 'no', 0, 1);
select is(spec.left_of(1), '0 0 0 0', 'a task fails');
select spec.complete('d', '["off"]', 0, 2);
select is(spec.left_of(2), '0 0 0 0', 'a condition fails');
select spec.complete('d', '{"not": "an array"}', 0, 3);
select is(spec.left_of(3), '0 0 0 0', 'an output violates its type');
select from pgflow.cancel_run(spec.run(4));
select is(spec.left_of(4), '0 0 0 0', 'it is cancelled');
update pgflow.step_tasks set requeued_count = 3 where run_id = spec.run(5) and step_slug = 'a' and task_index = 0;
select spec.age_claim('a', interval '41 seconds', 0, 5);
select from pgflow.recover_tasks(spec.worker(1));
select is(spec.left_of(5), '0 0 0 0', 'a task has stalled too often');
select is((select array_agg(status order by run_id) from pgflow.runs), '{failed,failed,failed,cancelled,failed,started}', 'the runs');
select is(spec.left_of(6), '3 3 3 1', 'the other run');
select is_empty($$ select * from pgflow.step_tasks where run_id <> spec.run(6) and status in ('queued', 'started') $$, 'no task is left active');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
