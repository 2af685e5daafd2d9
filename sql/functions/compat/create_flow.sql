-- create_flow(flow_slug, max_attempts, base_delay, timeout) -> the flow's row. Compatibility; owner only. Nulls become
-- 3 attempts, 5 s, 60 s. An existing flow is returned unchanged. Makes the queue of the default routing and an active
-- alias of the flow's own name. Raises check_violation for an invalid slug, and for one whose queue cannot be had;
-- unique_violation if another flow's slug differs only in case; object_not_in_prerequisite_state for one that is an
-- alias of other flows.
-- Locks: the deployment lock until commit. A repeated call does nothing.
create or replace function pgflow.create_flow(
  flow_slug text, max_attempts int default null, base_delay int default null, timeout int default null
) returns pgflow.flows
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_flow pgflow.flows;
  v_other text;
  v_refusal text;
begin
  perform pgflow._lock_deployments();
  select f.* into v_flow from pgflow.flows f where f.flow_slug = create_flow.flow_slug;
  if found then
    return v_flow;
  end if;
  if not coalesce(pgflow.is_valid_slug(create_flow.flow_slug), false) then
    insert into pgflow.flows (flow_slug, flow_alias) values (create_flow.flow_slug, create_flow.flow_slug); -- the table refuses it
  end if;
  select f.flow_slug into v_other from pgflow.flows f where lower(f.flow_slug collate "C") = lower(create_flow.flow_slug collate "C");
  if found then
    raise exception 'flow % cannot be created: flow % exists, and its slug differs only in case', create_flow.flow_slug, v_other
      using errcode = 'unique_violation', schema = 'pgflow', table = 'flows', constraint = 'flows_lower_flow_slug_key',
        hint = 'give this flow another slug: both would use the same queue';
  end if;
  if exists (select from pgflow.flows f where f.flow_alias = create_flow.flow_slug) then
    raise exception 'flow % cannot be created: it is the alias of %', create_flow.flow_slug,
      (select string_agg(f.flow_slug, ', ' order by f.flow_slug) from pgflow.flows f where f.flow_alias = create_flow.flow_slug)
      using errcode = 'object_not_in_prerequisite_state', hint = 'give this flow another slug: workers deploy the versions of that alias';
  end if;
  v_refusal := pgflow._queue_refusal(lower(create_flow.flow_slug collate "C"));
  if v_refusal is not null then
    raise exception 'flow % cannot be created: %', create_flow.flow_slug, v_refusal using errcode = 'check_violation';
  end if;
  perform pgflow._provision_queue(lower(create_flow.flow_slug collate "C"));
  v_flow := pgflow._insert_flow(
    create_flow.flow_slug, create_flow.flow_slug, create_flow.max_attempts, create_flow.base_delay, create_flow.timeout, false
  );
  perform pgflow._activate_alias(v_flow.flow_alias, v_flow.flow_slug, null);
  return v_flow;
end;
$$;
