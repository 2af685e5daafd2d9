-- Returns why a worker may not deploy at all: its function is disabled, or it is deprecated; null if it may. Takes no
-- locks.
create or replace function pgflow._fence_reason(p_worker_id uuid, p_function_name text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when exists (select from pgflow.worker_functions f where f.function_name = p_function_name and not f.enabled)
      then format('worker function %s is disabled', p_function_name)
    when exists (select from pgflow.workers w where w.worker_id = p_worker_id and num_nonnulls(w.deprecated_at, w.stopped_at) > 0)
      then 'the worker is deprecated'
  end;
$$;
