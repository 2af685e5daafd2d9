-- A jump of the clock puts back no task that a live worker lists, and hides no dead worker.
begin;
\ir ../support/fixtures.sql
select plan(22);

create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true';
select spec.deploy_registry(array[spec.flow('greet', array[spec.map('a', p_options => '{"timeout": 60}')])], p_worker => n) from generate_series(1, 2) n;
update pgflow.workers set last_heartbeat_at = clock_timestamp(), unbroken_since = clock_timestamp() - interval '1 hour';
select spec.start('greet', '[0, 1, 2, 3, 4]');
select spec.claim('greet', 2, n) from generate_series(1, 2) n;
create function pg_temp.recovered() returns text language sql as $$
  select string_agg(concat_ws(' ', t.task_index, t.reason), ', ' order by t.task_index) from pgflow.recover_tasks(spec.worker()) t;
$$;
-- As if the last 31 s had been without a jump.
create function pg_temp.settle() returns void language sql as $$
  update pgflow.workers set clock_jumped_at = clock_jumped_at - interval '31 seconds', unbroken_since = unbroken_since - interval '31 seconds';
  update pgflow.recoveries set pulled_back_at = pulled_back_at - interval '31 seconds';
$$;

select spec.jump('1 hour', 'greet');
select is(pg_temp.recovered(), null, 'forwards: before anybody has noticed');
select spec.beat(2000, 1, 'a', 0, 1);
select is(pg_temp.recovered(), null, 'before the other worker has beaten');
select is((select cardinality(overdue_tasks) from pgflow.workers where worker_id = spec.worker()), 2, 'what is listed though its time is over');
select spec.beat(2000, 2, 'a', 2);
select is(pg_temp.recovered(), null, 'before 30 s have passed');
select pg_temp.settle();
select is(pg_temp.recovered(), '3 timeout', 'then the one that no worker lists');
select spec.jump('1 hour', 'greet');
select spec.beat(2000, n, 'a', variadic case n when 1 then '{0, 1}'::int[] else '{2}' end) from generate_series(1, 2) n;
select pg_temp.settle();
select is(pg_temp.recovered(), null, 'a second jump');
select is((select array_agg(t.requeued_count order by t.task_index) from pgflow.step_tasks t), '{0,0,0,1,0}', 'no task of a live worker was blamed');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '31 seconds' where worker_id = spec.worker(2);
select spec.beat(0, 1, 'a', 0, 1);
select is(pg_temp.recovered(), '2 dead_worker', 'one that a dead worker listed is not kept');
select is(spec.tasks('a'), '{started,started,queued,queued,queued}', 'the rest runs');

-- Backwards, while the second worker dies.
select spec.claim('greet', 3, 2);
select spec.fail('a', p_index => 0, p_delay => 100);
select spec.jump('-1 hour', 'greet');
select ok(spec.hidden_s_of('a', 0) > 3600, 'a retry would wait for an hour');
select is((select live_workers from pgflow.queue_status), 0, 'heartbeats of the future are no sign of life');
select is(pg_temp.recovered(), null, 'before anybody has noticed');
select is((select array_agg(t.status order by t.task_index) from pgflow.step_tasks t), '{queued,started,started,queued,queued}', 'nothing has moved');
select ok(spec.beat(2000, 1, 'a', 1) < -3590, 'the jump is noticed');
select is((select live_workers from pgflow.queue_status), 1, 'one lives');
select is(pg_temp.recovered(), null, 'nobody is judged yet');
select ok(spec.hidden_s_of('a', 0) between 100 - 60 and 100, 'the retry is due when it was');
select pg_temp.settle();
select spec.beat(0, 1, 'a', 1);
select is(pg_temp.recovered(), '2 dead_worker', 'after 30 s the dead worker''s task moves');
select ok(spec.hidden_s_of('a', 0) between 100 - 60 and 100, 'messages are pulled back once');
select pg_temp.settle();
select is(pg_temp.recovered(), null, 'and no more');
select is((select count(*) from spec.claim('greet', 10)), 3::bigint, 'work goes on');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
