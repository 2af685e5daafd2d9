-- report_reload(worker_id, error): what a worker's reload came to: the reason for which it was refused, or null if it
-- was accepted. An unknown worker is not an error.
-- Locks: the worker's row.
create or replace function pgflow.report_reload(p_worker_id uuid, p_error text) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  update pgflow.workers w set last_reload_at = clock_timestamp(), last_reload_error = left(p_error, 8192) where w.worker_id = p_worker_id;
$$;
