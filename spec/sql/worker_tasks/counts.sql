-- How many started tasks each worker holds, dead ones too; nothing of those that wait, have ended, or whose queue is gone.
begin;
\ir ../support/fixtures.sql
select plan(6);

create function spec.held() returns text language sql as $$
  select coalesce(string_agg(format('%s:%s', w.n, t.tasks_in_flight), ' ' order by w.n), '')
  from pgflow.worker_tasks() t join generate_series(1, 2) w (n) on spec.worker(w.n) = t.worker_id;
$$;
select spec.deploy_registry(array[spec.flow('one', array[spec.step('a'), spec.step('b')], p_routing => '{"b": "other"}')]);
select spec.deploy_registry(array[spec.flow('one', array[spec.step('a'), spec.step('b')], p_routing => '{"b": "other"}')], 'other', p_worker => 2);
select spec.start('one', p_run => n) from generate_series(1, 3) n;
select is(spec.held(), '', 'what waits is nobody''s');
select spec.claim('one', 2);
select spec.claim('other', 1, 2);
select is(spec.held(), '1:2 2:1', 'each worker''s own, over all queues');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '1 hour';
update pgmq.q_one set vt = clock_timestamp() - interval '1 hour';
select is(spec.held(), '1:2 2:1', 'dead workers'', and messages that are visible again');
select spec.complete('a', p_run => (select r.n from generate_series(1, 3) r (n) where (spec.task('a', p_run => r.n)).status = 'started' limit 1));
select is(spec.held(), '1:1 2:1', 'a task that has ended is left out');
select spec.fail('a', p_run => (select r.n from generate_series(1, 3) r (n) where (spec.task('a', p_run => r.n)).status = 'started' limit 1));
select is(spec.held(), '2:1', 'one that waits for its next attempt too');
drop table pgmq.q_other cascade;
select is(spec.held(), '', 'a queue that is gone is no error');

select * from finish();
rollback;
