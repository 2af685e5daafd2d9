-- Returns the (flow, step) pairs that a registry handles.
create or replace function pgflow._registry_pairs(p_registry jsonb) returns table (flow_slug text, step_slug text)
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select f.value ->> 'slug', s.value ->> 'slug'
  from jsonb_array_elements(p_registry -> 'flows') f
  cross join jsonb_array_elements(f.value #> '{shape,steps}') s;
$$;
