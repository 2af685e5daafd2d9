-- preview_files(registries): the flows that deploy_files would delete with their data now, recreated or for good; see
-- there. Changes nothing and takes no locks, so the deployment may find something else.
create or replace function pgflow.preview_files(p_registries jsonb) returns setof pgflow.deployment_check
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select (c.flow_slug, c.change, c.differences, c.message)::pgflow.deployment_check
  from pgflow._file_changes(pgflow._all_flows(p_registries)) c
  where c.change in ('recreated', 'deleted');
$$;
