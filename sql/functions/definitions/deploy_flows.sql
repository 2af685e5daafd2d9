-- deploy_flows(worker_id, function_name, queue_name, registry, generation): one transaction for a whole registry. The
-- registry is {"flows": [{"slug", "alias", "retained", "shape", "routing"}]}; see lua/luaflow/registry.lua.
-- Returns a row for each flow: created | verified (differences: the options that change) | recreated, and removed for
-- each flow that the worker had and the registry lacks. Or, if the deployment is refused, fenced | shape_mismatch |
-- routing_mismatch | alias_conflict | queue_conflict | invalid with the differences, and then uncovered for each flow
-- whose steps can still appear on the queue though the registry lacks them (I6). After any refusal nothing has changed,
-- but for the row of a worker that is fenced (_answer_fenced).
-- Raises as _plan_deployment, which finds all of this, does.
-- alias_status: activated | moved back | already active | retained | kept (_judge_alias). lacking_workers: live workers
-- that lack steps which can appear on their queue from now on (_lacking_workers).
-- Locks, until commit: the deployment lock; the function's row for share; the worker's row; the aliases concerned,
-- exclusively, which are none if it changes nothing (_registry_aliases); a fenced worker takes none. Raises
-- lock_not_available where it would wait for long: for an alias 1 s, for the function's switch, the worker's row, or a
-- run of a flow that is recreated, 500 ms; the caller must then call it again.
-- A repeated call verifies. Called by a worker when it starts and at every reload.
create or replace function pgflow.deploy_flows(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb, p_generation bigint
) returns setof pgflow.deployment_answer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_new boolean;
  v_fence text := pgflow._fence_reason(p_worker_id, p_function_name);
  v_plan pgflow.deployment_answer[];
  v_removed text[];
begin
  if v_fence is null then
    perform pgflow._lock_deployments();
    v_is_new := not exists (select from pgflow.worker_functions w where w.function_name = p_function_name);
    v_fence := pgflow._deployment_refusal(p_worker_id, p_function_name);
  end if;
  if v_fence is not null then
    return query select a.* from pgflow._answer_fenced(p_worker_id, p_function_name, p_queue_name, p_registry, v_fence) a;
    return;
  end if;
  perform pgflow._lock_worker(p_worker_id);
  perform pgflow._lock_aliases(pgflow._registry_aliases(p_registry));
  delete from pgflow.fenced_workers w where w.worker_id = p_worker_id;

  v_plan := array(select p from pgflow._plan_deployment(p_worker_id, p_queue_name, p_registry) p);
  if exists (select from unnest(v_plan) p where p.status not in ('created', 'verified', 'recreated')) then
    if v_is_new then
      delete from pgflow.worker_functions w where w.function_name = p_function_name;
    end if;
    return query select p.* from unnest(v_plan) p;
    return;
  end if;

  perform pgflow._store_flow(f.value, p.status, p_worker_id, p_function_name)
  from unnest(v_plan) with ordinality as p (flow_slug, status, alias_status, differences, message, lacking_workers, n)
  join jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n) on f.n = p.n
  order by p.n;
  v_removed := array(
    select h.flow_slug from pgflow.worker_handlers h where h.worker_id = p_worker_id
    except
    select p.flow_slug from unnest(v_plan) p
    order by 1
  );
  perform pgflow._register_worker(p_worker_id, p_function_name, p_queue_name, p_registry, p_generation);
  perform pgflow._activate_alias(f.flow_alias, p.flow_slug, p_worker_id)
  from unnest(v_plan) p join pgflow.flows f on f.flow_slug = p.flow_slug
  where p.alias_status in ('activated', 'moved back')
  order by f.flow_alias;
  return query
    select p.* from unnest(v_plan) p
    union all
    select r.flow_slug, 'removed', null, '{}'::text[], null, '[]'::jsonb from unnest(v_removed) as r (flow_slug);
end;
$$;
