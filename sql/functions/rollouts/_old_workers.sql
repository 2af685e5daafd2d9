-- Returns the workers that a rollout waits for: not stopped, with a heartbeat of the last 30 s, and deprecated, or of a
-- function that somebody has enabled behind the rollout's back. Those that wait for a disabled function are none of
-- them.
create or replace function pgflow._old_workers(p_function_name text) returns setof pgflow.workers
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select w.* from pgflow.workers w
  where w.function_name = p_function_name and pgflow._is_alive(w)
    and (w.deprecated_at is not null or exists (select from pgflow.worker_functions f where f.function_name = p_function_name and f.enabled));
$$;
