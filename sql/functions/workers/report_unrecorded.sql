-- report_unrecorded(worker_id, count, error): how many results the worker has that the database does not take, and the last error; 0 and null once it takes them again.
-- An unknown worker is no error.
-- Locks: the worker's row.
create or replace function pgflow.report_unrecorded(p_worker_id uuid, p_count int, p_error text) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  update pgflow.workers w
  set unrecorded_since = case when p_count > 0 then coalesce(w.unrecorded_since, clock_timestamp()) end,
    unrecorded_count = nullif(p_count, 0),
    unrecorded_error = left(p_error, 8192)
  where w.worker_id = p_worker_id;
$$;
