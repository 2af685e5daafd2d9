-- Waits until nobody holds the deployment lock, the locks of these aliases, the function's switch or the worker's row,
-- for a second at most; raises lock_not_available, with who holds it. A fenced worker waits for nothing. What it locks
-- of these is the switch and the row.
create or replace function pgflow._await_deployment(p_worker_id uuid, p_function_name text, p_flow_aliases text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if pgflow._fence_reason(p_worker_id, p_function_name) is not null then
    return;
  end if;
  if pgflow._await_ends(array['deployment_lock'] || pgflow._alias_locks(p_flow_aliases), interval '1 second') is null then
    if pgflow._lock_transactions('{deployment_lock}') <> '{}' then
      perform pgflow._refuse_lock('deployment_lock', 'exclusive', 'could not lock the flows: another transaction deploys or changes some');
    end if;
    perform pgflow._refuse_aliases(p_flow_aliases);
  end if;
  if exists (select from pgflow.worker_functions w where w.function_name = p_function_name) then
    perform pgflow._deployment_refusal(p_worker_id, p_function_name);
  end if;
  perform pgflow._lock_worker(p_worker_id);
end;
$$;
