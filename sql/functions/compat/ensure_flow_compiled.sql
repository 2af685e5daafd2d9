-- ensure_flow_compiled(flow_slug, shape, allow_data_loss) -> {"status", "differences"}. Compatibility: what pgflow's own
-- worker calls when it starts. The shape is {"steps": [...], "options"}; every step goes to the queue named like the
-- flow. compiled: stored, with its queue and an active alias of its own name; verified: it was, and is equal (options
-- are not compared); recompiled: it differed in a development database (_may_recreate_flows) and was deleted with its
-- runs and data and created again; mismatch: it differs, and nothing changed, as always if a worker of luaflow deployed
-- the flow. allow_data_loss changes nothing: in a development database a flow is recreated without it, and elsewhere not
-- even with it. Raises check_violation for an invalid slug, and for one whose queue cannot be had.
-- Locks: the deployment lock until commit; the alias, exclusively, if it stores.
create or replace function pgflow.ensure_flow_compiled(flow_slug text, shape jsonb, allow_data_loss boolean default false) returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_stored pgflow.flows;
  v_differences text[] := '{}';
  v_status text := 'compiled';
begin
  if jsonb_typeof(ensure_flow_compiled.shape -> 'steps') is distinct from 'array' then
    raise exception 'the shape of flow % has no array of steps', quote_nullable(ensure_flow_compiled.flow_slug) using errcode = 'invalid_parameter_value';
  end if;
  perform pgflow._lock_deployments();
  select f.* into v_stored from pgflow.flows f where f.flow_slug = ensure_flow_compiled.flow_slug;
  if found then
    v_differences := pgflow._compare_flow_shapes(ensure_flow_compiled.shape, pgflow._get_flow_shape(v_stored.flow_slug));
    if v_differences = '{}' or v_stored.is_deployed or not pgflow._may_recreate_flows() then
      return jsonb_build_object(
        'status', case when v_differences = '{}' then 'verified' else 'mismatch' end, 'differences', to_jsonb(v_differences)
      );
    end if;
    v_status := 'recompiled';
    perform pgflow.delete_flow_and_data(v_stored.flow_slug);
  end if;

  perform pgflow.create_flow(
    ensure_flow_compiled.flow_slug, (ensure_flow_compiled.shape #>> '{options,maxAttempts}')::int,
    (ensure_flow_compiled.shape #>> '{options,baseDelay}')::int, (ensure_flow_compiled.shape #>> '{options,timeout}')::int
  );
  perform pgflow.add_step(
    ensure_flow_compiled.flow_slug, s.step ->> 'slug', pgflow._sorted_texts(s.step -> 'dependencies'),
    (s.step #>> '{options,maxAttempts}')::int, (s.step #>> '{options,baseDelay}')::int, (s.step #>> '{options,timeout}')::int,
    (s.step #>> '{options,startDelay}')::int, s.step ->> 'stepType',
    s.step #> '{requiredInputPattern,value}', s.step #> '{forbiddenInputPattern,value}',
    coalesce(s.step ->> 'whenUnmet', 'skip'), coalesce(s.step ->> 'whenExhausted', 'fail')
  )
  from jsonb_array_elements(ensure_flow_compiled.shape -> 'steps') with ordinality as s (step, n)
  order by s.n;
  return jsonb_build_object('status', v_status, 'differences', to_jsonb(v_differences));
end;
$$;
