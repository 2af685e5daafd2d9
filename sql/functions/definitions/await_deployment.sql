-- await_deployment(worker_id, function_name, queue_name, registry): waits until nobody holds what deploy_flows would
-- wait for, for a second at most. Raises lock_not_available, with who holds it. It keeps nobody from anything, and what it locks is
-- free when it returns, so the deployment may still find something else. A worker calls it before it stops claiming.
create or replace function pgflow.await_deployment(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb
) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow._await_deployment(p_worker_id, p_function_name, pgflow._registry_aliases(p_registry));
end;
$$;
