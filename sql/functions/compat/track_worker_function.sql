-- track_worker_function(function_name): records a worker function, enabled if it is new; a known one keeps its switch.
create or replace function pgflow.track_worker_function(function_name text) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  insert into pgflow.worker_functions (function_name) values (track_worker_function.function_name)
  on conflict (function_name) do update set updated_at = clock_timestamp();
$$;
