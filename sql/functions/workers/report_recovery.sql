-- report_recovery(worker_id, error): that recovery fails in the worker, and why; null once it works again. An unknown worker is no error.
-- Locks: the worker's row.
create or replace function pgflow.report_recovery(p_worker_id uuid, p_error text) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  update pgflow.workers w
  set recovery_failing_since = case when p_error is not null then coalesce(w.recovery_failing_since, clock_timestamp()) end,
    recovery_error = left(p_error, 8192)
  where w.worker_id = p_worker_id;
$$;
