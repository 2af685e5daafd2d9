-- report_reload(worker_id, error, request): what a worker's reload came to: the reason for which it was refused, or null
-- if it was accepted; and the last request (request_reload) that this answers, 0 if none. An unknown worker is not an
-- error.
-- Locks: the worker's row.
create or replace function pgflow.report_reload(p_worker_id uuid, p_error text, p_request bigint) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  update pgflow.workers w
  set last_reload_at = clock_timestamp(), last_reload_error = left(p_error, 8192), reload_answer = greatest(w.reload_answer, p_request)
  where w.worker_id = p_worker_id;
$$;
