-- poll_for_tasks(queue_name, vt, qty, ...): returns no tasks and raises a notice that says so. Compatibility; owner
-- only: old clients read the queue themselves and call start_tasks.
create or replace function pgflow.poll_for_tasks(
  queue_name text, vt int, qty int, max_poll_seconds int default 5, poll_interval_ms int default 100
) returns setof pgflow.step_task_record
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  raise notice 'poll_for_tasks returns no tasks: read the queue with pgmq.read_with_poll, then call pgflow.start_tasks';
end;
$$;
