-- worker_tasks(): how many started tasks each worker holds, dead ones too; no row for a worker without any. They are
-- found by their messages, each of which was read at least once: the cost grows with what is in the queues, not with
-- what has ended. Takes no locks. For people.
create or replace function pgflow.worker_tasks() returns table (worker_id uuid, tasks_in_flight bigint)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_name text;
begin
  for v_queue_name in select distinct w.queue_name from pgflow.workers w where pgflow._queue_exists(w.queue_name) loop
    return query select t.last_worker_id, count(*) from pgflow._tasks_in_flight(v_queue_name) t group by t.last_worker_id;
  end loop;
end;
$$;
