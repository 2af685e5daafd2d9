-- deploy_existing(worker_id, function_name, queue_name, registry, generation): deploy_flows for changed files that nobody
-- declared complete: what was written in part must not become a version. Takes code and runtime options of versions
-- that exist; leaves new versions out, and moves no alias. Returns what deploy_flows does, and a row held_back, with the
-- reason, for each flow that it left out or did not activate.
-- Locks: as deploy_flows. Called by a worker that watches its files, outside a development database.
create or replace function pgflow.deploy_existing(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb, p_generation bigint
) returns setof pgflow.deployment_answer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_existing record;
begin
  if pgflow._fence_reason(p_worker_id, p_function_name) is null then
    perform pgflow._lock_deployments();
  end if;
  v_existing := pgflow._existing_flows(p_registry);
  return query select d.* from pgflow.deploy_flows(p_worker_id, p_function_name, p_queue_name, v_existing.registry, p_generation) d;
  return query select h.flow_slug, h.status, null, h.differences, h.message, '[]'::jsonb from unnest(v_existing.held_back) h;
end;
$$;
