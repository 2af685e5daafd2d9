-- Returns what a deployment may take of a registry whose files nobody declared complete: versions that exist, without
-- moving an alias. registry: those, where one that would become active is retained; held_back: a sentence for each flow
-- that is left out or stays inactive.
create or replace function pgflow._existing_flows(p_registry jsonb, out registry jsonb, out held_back pgflow.deployment_check[])
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select
    jsonb_set(p_registry, '{flows}', coalesce(
      jsonb_agg(case when j.moves then f.value || '{"retained": true}' else f.value end order by f.n) filter (where j.exists), '[]'
    )),
    array_agg(
      (f.value ->> 'slug', 'held_back', '{}'::text[], case
        when not j.exists then 'it is a new version, which a watched change does not bring'
        else format('alias %s stays at %s: a watched change does not move it', f.value ->> 'alias', coalesce(a.active_flow_slug, 'no version'))
      end)::pgflow.deployment_check
      order by f.n
    ) filter (where not j.exists or j.moves)
  from jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n)
  left join pgflow.flow_aliases a on a.flow_alias = f.value ->> 'alias'
  cross join lateral (
    select exists (select from pgflow.flows s where s.flow_slug = f.value ->> 'slug') as exists,
      not coalesce((f.value ->> 'retained')::boolean, false) and a.active_flow_slug is distinct from f.value ->> 'slug' as moves
  ) j;
$$;
