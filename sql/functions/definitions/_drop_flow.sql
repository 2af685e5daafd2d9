-- Deletes a flow with its runs, their data and their messages, waiting or archived; drops no queue. The alias stays, without
-- an active version if this one was it. Ended runs are locked too: they may be pruned meanwhile. The caller holds the
-- deployment lock and the alias's lock, exclusively.
create or replace function pgflow._drop_flow(p_flow_slug text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[] := array(select r.run_id from pgflow.runs r where r.flow_slug = p_flow_slug);
begin
  perform pgflow._lock_runs_briefly(v_run_ids);
  perform pgflow._delete_runs(v_run_ids);
  update pgflow.flow_aliases a set active_flow_slug = null where a.active_flow_slug = p_flow_slug;
  delete from pgflow.deps d where d.flow_slug = p_flow_slug;
  delete from pgflow.steps s where s.flow_slug = p_flow_slug;
  delete from pgflow.flows f where f.flow_slug = p_flow_slug;
end;
$$;
