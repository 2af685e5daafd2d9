-- Switches worker functions on or off. Returns each with its new and its former state, by name. Locks: that of
-- rollouts; their rows, in order: a deployment under way is waited for.
create or replace function pgflow._switch_worker_functions(p_function_names text[], p_enabled boolean)
returns table (function_name text, enabled boolean, was_enabled boolean)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgflow._lock_rollouts();
  perform from pgflow.worker_functions f where f.function_name = any (p_function_names) order by f.function_name for update;
  return query
    with before as (
      select f.function_name, f.enabled from pgflow.worker_functions f where f.function_name = any (p_function_names)
    ), switched as (
      update pgflow.worker_functions f set enabled = p_enabled, updated_at = clock_timestamp()
      from before b where f.function_name = b.function_name and f.enabled <> p_enabled
    )
    select b.function_name, p_enabled, b.enabled from before b order by b.function_name;
end;
$$;
