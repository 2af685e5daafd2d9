-- A row for each queue: messages, tasks in flight, who lives there, and what they do not cover.
begin;
\ir ../support/fixtures.sql
select plan(10);

select columns_are('pgflow', 'queue_status', '{queue_name,depth,visible,oldest_age,in_flight,live_workers,uncovered_pairs,lacking_workers}'::name[]);
create function spec.status(p_queue text) returns text language sql as $$
  select (depth, visible, in_flight, live_workers, uncovered_pairs)::text from pgflow.queue_status where queue_name = p_queue;
$$;
select spec.deploy_registry(array[spec.flow('one', array[spec.step('a'), spec.step('b'), spec.step('c')], p_routing => '{"c": "idle"}')]);
select is(spec.status('one'), '(0,0,0,1,{})', 'an empty queue');
select is(spec.status('idle'), '(0,0,0,0,{one.c})', 'one without a worker: what is routed to it is not covered');
select spec.start('one', p_run => n) from generate_series(1, 2) n;
select spec.claim('one', 1);
select is(spec.status('one'), '(4,3,1,1,{})', 'one with work');
update pgmq.q_one set enqueued_at = clock_timestamp() - interval '1 hour' where msg_id = 2;
select ok((select oldest_age between interval '1 hour' and interval '61 minutes' from pgflow.queue_status where queue_name = 'one'), 'the oldest message');
select spec.deploy_registry(array[spec.flow('two', array[spec.step('a')], p_routing => '{"a": "one"}')], 'two', p_worker => 2);
select is(spec.status('one'), '(4,3,1,1,{two.a})', 'a flow that no worker there knows');
update pgflow.workers set queue_name = 'one';
select is(spec.status('one'), '(4,3,1,2,"{one.a,one.b,two.a}")', 'two workers that lack each other''s');
update pgflow.workers set deprecated_at = now() where worker_id = spec.worker(1);
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '31 seconds' where worker_id = spec.worker(2);
select is(spec.status('one'), '(4,3,1,0,"{one.a,one.b,two.a}")', 'neither a deprecated nor a dead worker lives');
drop table pgmq.q_one cascade;
select is(spec.status('one'), '(,,,0,"{one.a,one.b,two.a}")', 'a queue that is gone');
select is((select count(*) from pgflow.queue_status), 2::bigint, 'each queue once');

select * from finish();
rollback;
