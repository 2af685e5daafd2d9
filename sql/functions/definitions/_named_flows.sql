-- Returns every flow with its alias: the stored ones and those of a registry.
create or replace function pgflow._named_flows(p_registry jsonb) returns table (flow_slug text, flow_alias text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select f.flow_slug, f.flow_alias from pgflow.flows f
  union
  select r.value ->> 'slug', r.value ->> 'alias' from jsonb_array_elements(p_registry -> 'flows') as r (value);
$$;
