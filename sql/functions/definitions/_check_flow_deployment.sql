-- Returns what deploying one flow of a registry would do, or why it is refused. Writes nothing. Shape and routing are
-- two checks. Names are judged against the stored flows and those of the registry alike. In a development database a
-- flow whose steps have only another order is verified: that is no reason to delete its runs.
create or replace function pgflow._check_flow_deployment(p_flow jsonb, p_registry jsonb) returns pgflow.deployment_check
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_slug text := p_flow ->> 'slug';
  v_fault text := pgflow._registry_fault(p_flow, p_registry);
  v_stored pgflow.flows;
  v_other text;
  v_differences record;
  v_queue_refusals text[];
  v_development boolean := (select s.development from pgflow.settings s);
begin
  if v_fault is not null then
    return row(v_slug, 'invalid', '{}'::text[], v_fault)::pgflow.deployment_check;
  end if;
  select f.* into v_stored from pgflow.flows f where f.flow_slug = v_slug;
  select min(f.flow_slug) into v_other from pgflow._named_flows(p_registry) f
    where lower(f.flow_slug collate "C") = lower(v_slug collate "C") and f.flow_slug <> v_slug;
  if v_other is not null then
    return row(v_slug, 'invalid', '{}'::text[], format('flow %s exists, and its slug differs only in case: give this flow another slug',
      v_other))::pgflow.deployment_check;
  end if;
  if v_stored.flow_alias <> p_flow ->> 'alias' then
    return row(v_slug, 'alias_conflict', '{}'::text[],
      format('the flow belongs to alias %1$s, which cannot change to %2$s: %3$s', v_stored.flow_alias, p_flow ->> 'alias',
        case when p_flow ->> 'alias' = v_slug then format('deploy it with alias = "%s", as the files do that brought it', v_stored.flow_alias)
          else 'give the new version its own slug' end))::pgflow.deployment_check;
  end if;
  select min(f.flow_slug) into v_other from pgflow._named_flows(p_registry) f
  where (f.flow_slug = p_flow ->> 'alias' and f.flow_alias <> p_flow ->> 'alias') or (f.flow_alias = v_slug and p_flow ->> 'alias' <> v_slug);
  if v_other is not null then
    return row(v_slug, 'alias_conflict', '{}'::text[],
      case when v_other = p_flow ->> 'alias' then format('alias %s is the slug of a flow of alias %s: choose another alias',
          v_other, (select min(f.flow_alias) from pgflow._named_flows(p_registry) f where f.flow_slug = v_other and f.flow_alias <> v_other))
        else format('slug %s is the alias of flow %s: give the flow another slug', v_slug, v_other) end)::pgflow.deployment_check;
  end if;
  v_queue_refusals := array(
    select pgflow._queue_refusal(q.queue_name)
    from (select distinct r.value as queue_name from jsonb_each_text(p_flow -> 'routing') r) q
    where pgflow._queue_refusal(q.queue_name) is not null
    order by q.queue_name
  );
  if v_queue_refusals <> '{}' then
    return row(v_slug, 'queue_conflict', v_queue_refusals, 'a queue of its steps cannot be used')::pgflow.deployment_check;
  end if;
  if v_stored.flow_slug is null then
    return row(v_slug, 'created', '{}'::text[], null)::pgflow.deployment_check;
  end if;

  v_differences := pgflow._flow_differences(p_flow);
  if v_differences.routing = '{}' and (v_differences.shape = '{}' or v_differences.only_order and v_development) then
    return row(
      v_slug, 'verified', array(select o.change from pgflow._option_changes(v_slug, p_flow -> 'shape') o order by o.n), null
    )::pgflow.deployment_check;
  end if;
  if v_development then
    return row(v_slug, 'recreated', v_differences.shape || v_differences.routing,
      'its runs and their data are deleted, and it is created again')::pgflow.deployment_check;
  end if;
  return row(
    v_slug,
    case when v_differences.shape <> '{}' then 'shape_mismatch' else 'routing_mismatch' end,
    v_differences.shape || v_differences.routing,
    case
      when v_differences.only_order then 'the same steps in another order: define them in a fixed order; a loop over pairs() has none'
      else format('the %s of a deployed flow cannot change: give the new version its own slug',
        case when v_differences.shape <> '{}' then 'shape' else 'routing' end)
    end
  )::pgflow.deployment_check;
end;
$$;
