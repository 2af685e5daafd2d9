-- preview_deployment(queue_name, registry): what deploy_flows would answer a new worker of the queue now; see there for
-- the columns. Writes nothing and takes no locks, so the deployment may find something else. The function's switch is
-- not looked at.
create or replace function pgflow.preview_deployment(p_queue_name text, p_registry jsonb) returns setof pgflow.deployment_answer
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select p.* from pgflow._plan_deployment(null, p_queue_name, p_registry) p;
$$;
