-- deploy_flows(worker_id, function_name, queue_name, registry, generation): one transaction for a whole registry. The
-- registry is {"flows": [{"slug", "alias", "retained", "shape", "routing"}]}; see lua/luaflow/registry.lua.
-- Returns a row for each flow: created | verified (differences: the options that change) | recreated, and removed for
-- each flow that the worker had and the registry lacks. Or, if the deployment is refused, fenced | shape_mismatch |
-- routing_mismatch | alias_conflict | queue_conflict | invalid with the differences, and then uncovered for each flow
-- whose steps can still appear on the queue though the registry lacks them (I6). After any refusal nothing has changed.
-- Raises object_not_in_prerequisite_state if the worker's own queue, which may be none of its flows', could run another
-- role's code.
-- alias_status: activated | already active | retained | kept (the registry lacks the version that is active now).
-- Locks, until commit: the deployment lock; the function's row for share; the aliases concerned, exclusively. Raises
-- lock_not_available where it would wait for long: for an alias 3 s, for the function's switch, the worker's row, or a
-- run of a flow that is recreated, 500 ms; the caller must then call it again.
-- A repeated call verifies. Called by a worker when it starts and at every reload.
create or replace function pgflow.deploy_flows(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb, p_generation bigint
) returns table (flow_slug text, status text, alias_status text, differences text[], message text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_is_new boolean;
  v_refusal text;
  v_checks pgflow.deployment_check[];
  v_removed text[];
begin
  if not pgflow.is_valid_queue_name(p_queue_name) or jsonb_typeof(p_registry -> 'flows') is distinct from 'array' then
    raise exception 'deploy_flows needs the name of a queue and an array of flows, but the queue is % and the flows are %',
      quote_nullable(p_queue_name), coalesce(jsonb_typeof(p_registry -> 'flows'), 'absent') using errcode = 'invalid_parameter_value';
  end if;
  perform pgflow._lock_deployments();
  v_is_new := not exists (select from pgflow.worker_functions w where w.function_name = p_function_name);
  v_refusal := pgflow._deployment_refusal(p_worker_id, p_function_name);
  if v_refusal is not null then
    return query
      select f.value ->> 'slug', 'fenced', 'kept', '{}'::text[], v_refusal from jsonb_array_elements(p_registry -> 'flows') as f (value);
    return;
  end if;
  perform pgflow._lock_aliases(pgflow._registry_aliases(p_worker_id, p_queue_name, p_registry));

  v_checks := array(select pgflow._check_flow_deployment(f.value, p_registry) from jsonb_array_elements(p_registry -> 'flows') as f (value));
  v_checks := v_checks || array(select c from pgflow._check_coverage(p_queue_name, p_registry, v_checks) c);
  if exists (select from unnest(v_checks) c where c.status not in ('created', 'verified', 'recreated')) then
    if v_is_new then
      delete from pgflow.worker_functions w where w.function_name = p_function_name;
    end if;
    return query select c.flow_slug, c.status, 'kept', c.differences, c.message from unnest(v_checks) c;
    return;
  end if;
  v_refusal := coalesce((select p.reason from pgflow._pgmq_distrust() p), pgflow._queue_distrust(p_queue_name));
  if v_refusal is not null then
    raise exception 'no worker can serve queue %: %', quote_literal(p_queue_name), v_refusal
      using errcode = 'object_not_in_prerequisite_state', hint = 'run luaflow doctor: it names the remedy';
  end if;

  perform pgflow._store_flow(f.value, c.status)
  from jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n)
  join unnest(v_checks) with ordinality as c (flow_slug, status, differences, message, n) on c.n = f.n
  order by f.n;
  v_removed := array(
    select h.flow_slug from pgflow.worker_handlers h where h.worker_id = p_worker_id
    except
    select f.value ->> 'slug' from jsonb_array_elements(p_registry -> 'flows') as f (value)
    order by 1
  );
  perform pgflow._register_worker(p_worker_id, p_function_name, p_queue_name, p_registry, p_generation);

  return query
    select c.flow_slug, c.status, s.alias_status, c.differences,
      nullif(concat_ws('; ', c.message, s.message, pgflow._unserved_queues(f.value -> 'routing', p_queue_name)), '')
    from jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n)
    join unnest(v_checks) with ordinality as c (flow_slug, status, differences, message, n) on c.n = f.n
    cross join lateral pgflow._select_version(f.value, p_registry, p_worker_id) s
    order by f.value ->> 'alias';
  return query select r.flow_slug, 'removed', null, '{}'::text[], null from unnest(v_removed) as r (flow_slug);
end;
$$;
