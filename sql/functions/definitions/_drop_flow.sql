-- Deletes a flow with its runs and data, and archives its own active messages; drops no queue. The alias stays, without
-- an active version if this one was it. Ended runs are locked too: they may be pruned meanwhile. The caller holds the
-- deployment lock and the alias's lock, exclusively.
create or replace function pgflow._drop_flow(p_flow_slug text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_messages pgflow.message[];
begin
  perform pgflow._lock_runs_briefly(array(select r.run_id from pgflow.runs r where r.flow_slug = p_flow_slug));
  with gone as (
    delete from pgflow.step_tasks t using pgflow.runs r
    where r.flow_slug = p_flow_slug and t.run_id = r.run_id
    returning t.queue_name, t.message_id
  )
  select array_agg((g.queue_name, g.message_id, null)::pgflow.message) into v_messages from gone g;
  perform pgflow._archive_messages(v_messages);
  delete from pgflow.step_states s using pgflow.runs r where r.flow_slug = p_flow_slug and s.run_id = r.run_id;
  delete from pgflow.runs r where r.flow_slug = p_flow_slug;
  update pgflow.flow_aliases a set active_flow_slug = null where a.active_flow_slug = p_flow_slug;
  delete from pgflow.deps d where d.flow_slug = p_flow_slug;
  delete from pgflow.steps s where s.flow_slug = p_flow_slug;
  delete from pgflow.flows f where f.flow_slug = p_flow_slug;
end;
$$;
