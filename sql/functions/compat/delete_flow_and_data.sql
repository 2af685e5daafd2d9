-- delete_flow_and_data(p_flow_slug): deletes a flow, deployed or not, with its runs, states, tasks and their messages,
-- archived ones too. Owner only. No queue is dropped: it can be shared. Only the exact slug counts; an unknown one
-- is told in a notice. Workers that have the flow bring its definition back with their next deployment.
-- Locks: the deployment lock and the alias, exclusively, until commit; the flow's started runs in order, tasks, then
-- queue rows.
create or replace function pgflow.delete_flow_and_data(p_flow_slug text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_flow pgflow.flows;
begin
  perform pgflow._lock_deployments();
  select f.* into v_flow from pgflow.flows f where f.flow_slug = p_flow_slug;
  if not found then
    raise notice 'there is no flow %: nothing was deleted', quote_nullable(p_flow_slug);
    return;
  end if;
  perform pgflow._forget_version(v_flow);
end;
$$;
