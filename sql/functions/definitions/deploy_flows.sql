-- deploy_flows(worker_id, function_name, queue_name, registry, generation): one transaction for a whole registry.
-- The registry is {"flows": [{"slug", "alias", "retained", "shape", "routing"}]}; see lua/luaflow/registry.lua.
-- Returns a row for each flow: created | verified | recreated, or, where the deployment is refused, fenced | shape_mismatch |
-- routing_mismatch | alias_conflict | queue_conflict | invalid with the differences; after any refusal nothing has changed.
-- alias_status: activated | already active | retained | kept (the registry lacks the version that is active now).
-- Locks, until commit: the deployment lock; the function's row for share; the aliases that move, exclusively.
-- A repeated call verifies. Called by a worker when it starts and at every reload.
create or replace function pgflow.deploy_flows(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb, p_generation bigint
) returns table (flow_slug text, status text, alias_status text, differences text[], message text)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  v_enabled boolean;
  v_new_function int;
  v_checks pgflow.deployment_check[];
begin
  perform pgflow._lock_deployments();
  insert into pgflow.worker_functions (function_name) values (p_function_name) on conflict do nothing;
  get diagnostics v_new_function = row_count;
  select w.enabled into v_enabled from pgflow.worker_functions w where w.function_name = p_function_name for share;
  if not v_enabled then
    return query
      select f.value ->> 'slug', 'fenced', 'kept', '{}'::text[], format('worker function %s is disabled', p_function_name)
      from jsonb_array_elements(p_registry -> 'flows') as f (value);
    return;
  end if;

  v_checks := array(select pgflow._check_flow_deployment(f.value, p_registry) from jsonb_array_elements(p_registry -> 'flows') as f (value));
  if exists (select from unnest(v_checks) c where c.status not in ('created', 'verified', 'recreated')) then
    if v_new_function > 0 then
      delete from pgflow.worker_functions w where w.function_name = p_function_name;
    end if;
    return query select c.flow_slug, c.status, 'kept', c.differences, c.message from unnest(v_checks) c;
    return;
  end if;

  perform pgflow._store_flow(f.value, c.status)
  from jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n)
  join unnest(v_checks) with ordinality as c (flow_slug, status, differences, message, n) on c.n = f.n
  order by f.n;
  perform pgflow._register_worker(p_worker_id, p_function_name, p_queue_name, p_registry, p_generation);

  return query
    select c.flow_slug, c.status, pgflow._select_version(f.value, p_registry, p_worker_id), c.differences, c.message
    from jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n)
    join unnest(v_checks) with ordinality as c (flow_slug, status, differences, message, n) on c.n = f.n
    order by f.value ->> 'alias';
end;
$$;
