-- mark_worker_stopped(worker_id): the worker has ended in good order, also while it waited behind the fence. An unknown
-- or already stopped worker is not an error.
create or replace function pgflow.mark_worker_stopped(worker_id uuid) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  delete from pgflow.fenced_workers w where w.worker_id = mark_worker_stopped.worker_id;
  update pgflow.workers w set stopped_at = clock_timestamp() where w.worker_id = mark_worker_stopped.worker_id and w.stopped_at is null;
$$;
