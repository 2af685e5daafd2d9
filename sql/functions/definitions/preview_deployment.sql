-- preview_deployment(registry): what deploy_flows would find for each flow of the registry now; see there for the
-- statuses. Changes nothing and takes no locks, so the deployment may find something else.
create or replace function pgflow.preview_deployment(p_registry jsonb) returns setof pgflow.deployment_check
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select c.*
  from jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n)
  cross join lateral pgflow._check_flow_deployment(f.value, p_registry) c
  order by f.n;
$$;
