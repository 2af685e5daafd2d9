-- requeue_stalled_tasks() -> how many tasks it put back: those that are past their effective timeout + 30 s, of 100
-- queues at most, those with such tasks first, then any: the next calls continue with the others. Compatibility, for a
-- database whose workers do not recover on their own. The timeout rule of recover_tasks alone: nobody is judged dead. A
-- task that was put back three times by it fails for good the next time, and is not counted. Messages are repaired as
-- by recover_tasks. A queue whose recovery is under way, or whose table is missing, is left out.
-- Locks: that of each of these queues' recovery, if it is free; then as recover_tasks.
create or replace function pgflow.requeue_stalled_tasks() returns int
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_steady boolean := pgflow._is_clock_steady(null);
  v_queue_names text[] := array(
    select q.queue_name from pgflow.queues q
    where pgflow._queue_exists(q.queue_name)
    order by exists (select from pgflow._tasks_in_flight(q.queue_name) t where pgflow._stall_reason(t, v_is_steady, null) is not null) desc, random()
    limit 100
  );
begin
  return (
    select count(*) from unnest(pgflow._lock_recovery(v_queue_names)) as q (queue_name)
    cross join lateral pgflow._recover_queue(q.queue_name, '-infinity', v_is_steady, null) t
    where t.outcome = 'requeued'
  );
end;
$$;
