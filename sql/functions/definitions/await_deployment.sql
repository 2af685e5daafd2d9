-- await_deployment(worker_id, function_name, queue_name, registry): waits until nobody holds what deploy_flows would
-- wait for, for a second at most. Raises lock_not_available, with who holds it. It keeps nobody from anything, and what it locks is
-- free when it returns, so the deployment may still find something else. A worker calls it before it stops claiming.
create or replace function pgflow.await_deployment(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb
) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_aliases text[] := pgflow._registry_aliases(p_registry);
begin
  if pgflow._fence_reason(p_worker_id, p_function_name) is not null then
    return;
  end if;
  if pgflow._await_ends(array['deployment_lock'] || pgflow._alias_locks(v_aliases), interval '1 second') is null then
    if pgflow._lock_transactions('{deployment_lock}') <> '{}' then
      perform pgflow._refuse_lock('deployment_lock', 'exclusive', 'could not lock the flows: another transaction deploys or changes some');
    end if;
    perform pgflow._refuse_aliases(v_aliases);
  end if;
  if exists (select from pgflow.worker_functions w where w.function_name = p_function_name) then
    perform pgflow._deployment_refusal(p_worker_id, p_function_name);
  end if;
  perform pgflow._lock_worker(p_worker_id);
end;
$$;
