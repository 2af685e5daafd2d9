-- Returns what deploying a registry would do now, a row for each flow as deploy_flows answers it, or the refusal. Writes
-- nothing and takes no locks: deploy_flows calls it under its locks and carries it out, preview_deployment shows it.
-- Raises invalid_parameter_value for what is not a registry of a queue, and object_not_in_prerequisite_state if the
-- worker's own queue, which may be none of its flows', could run another role's code.
create or replace function pgflow._plan_deployment(p_worker_id uuid, p_queue_name text, p_registry jsonb)
returns setof pgflow.deployment_answer
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_checks pgflow.deployment_check[];
  v_distrust text;
begin
  if not pgflow.is_valid_queue_name(p_queue_name) or jsonb_typeof(p_registry -> 'flows') is distinct from 'array' then
    raise exception 'deploy_flows needs the name of a queue and an array of flows, but the queue is % and the flows are %',
      quote_nullable(p_queue_name), coalesce(jsonb_typeof(p_registry -> 'flows'), 'absent') using errcode = 'invalid_parameter_value';
  end if;
  v_checks := array(
    select pgflow._check_flow_deployment(f.value, p_registry) from jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n) order by f.n
  );
  v_checks := v_checks || array(select c from pgflow._check_coverage(p_queue_name, p_registry, v_checks) c);
  if exists (select from unnest(v_checks) c where c.status not in ('created', 'verified', 'recreated')) then
    return query select c.flow_slug, c.status, 'kept', c.differences, c.message, '[]'::jsonb from unnest(v_checks) c;
    return;
  end if;
  v_distrust := coalesce((select p.reason from pgflow._pgmq_distrust() p), pgflow._queue_distrust(p_queue_name));
  if v_distrust is not null then
    raise exception 'no worker can serve queue %: %', quote_literal(p_queue_name), v_distrust
      using errcode = 'object_not_in_prerequisite_state', hint = 'run luaflow doctor: it names the remedy';
  end if;
  return query
    select c.flow_slug, c.status, a.alias_status, c.differences,
      nullif(concat_ws('; ', c.message, a.message, pgflow._unserved_queues(f.value -> 'routing', p_queue_name), pgflow._lacking_sentence(l.lacking)), ''),
      l.lacking
    from jsonb_array_elements(p_registry -> 'flows') with ordinality as f (value, n)
    join unnest(v_checks) with ordinality as c (flow_slug, status, differences, message, n) on c.n = f.n
    cross join lateral pgflow._judge_alias(f.value, p_registry) a
    cross join lateral (
      select case
        when a.alias_status in ('activated', 'moved back') or c.status = 'recreated' then pgflow._lacking_workers(f.value, p_worker_id)
        else '[]'
      end as lacking
    ) l
    order by f.n;
end;
$$;
