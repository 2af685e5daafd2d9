-- Deletes the rows of workers whose last heartbeat came before the given instant and that have stopped or are dead,
-- with their handlers, as long as no started task is theirs. One whose queue does not exist is kept: its tasks cannot
-- be found.
create or replace function pgflow._forget_workers(p_before timestamptz) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_worker_ids uuid[];
begin
  v_worker_ids := array(
    select w.worker_id from pgflow.workers w
    where w.last_heartbeat_at < p_before
      and not pgflow._is_alive(w)
      and pgflow._queue_exists(w.queue_name)
    for update skip locked
  );
  delete from pgflow.workers w
  where w.worker_id = any (v_worker_ids) and w.worker_id not in (
    select t.last_worker_id
    from (select distinct u.queue_name from pgflow.workers u where u.worker_id = any (v_worker_ids)) q
    cross join pgflow._tasks_in_flight(q.queue_name) t
    where t.last_worker_id is not null
  );
end;
$$;
