-- Returns one registry with the flows of several, each once: retained if it is in all of them.
create or replace function pgflow._all_flows(p_registries jsonb) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('flows', coalesce(jsonb_agg(f.flow order by f.flow ->> 'slug'), '[]'))
  from (
    select (jsonb_agg(e.value) -> 0) || jsonb_build_object('retained', bool_and(coalesce((e.value ->> 'retained')::boolean, false))) as flow
    from jsonb_array_elements(p_registries) as r (value)
    cross join jsonb_array_elements(r.value -> 'flows') as e (value)
    group by e.value ->> 'slug'
  ) f;
$$;
