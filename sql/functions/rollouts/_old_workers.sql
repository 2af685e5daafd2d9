-- The workers of a function that were deprecated and have not ended yet: not stopped, with a heartbeat of the last 30 s.
create or replace function pgflow._old_workers(p_function_name text) returns setof pgflow.workers
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select w.* from pgflow.workers w
  where w.function_name = p_function_name and w.deprecated_at is not null and pgflow._is_alive(w);
$$;
