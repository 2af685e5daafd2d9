-- Stores a flow and, if it is new, its alias (not yet active). Nulls become 3 attempts, 5 s, 60 s.
-- Raises unique_violation if another flow's slug differs only in case.
create or replace function pgflow._insert_flow(
  p_flow_slug text, p_flow_alias text, p_max_attempts int, p_base_delay int, p_timeout int, p_is_deployed boolean
) returns pgflow.flows
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_flow pgflow.flows;
begin
  insert into pgflow.flow_aliases (flow_alias) values (p_flow_alias) on conflict do nothing;
  insert into pgflow.flows (flow_slug, flow_alias, opt_max_attempts, opt_base_delay, opt_timeout, is_deployed)
  values (p_flow_slug, p_flow_alias, coalesce(p_max_attempts, 3), coalesce(p_base_delay, 5), coalesce(p_timeout, 60), p_is_deployed)
  returning * into v_flow;
  return v_flow;
end;
$$;
