-- Marks a flow that no file of luaflow dev has any more, and cancels its started runs with that reason; a retry brings
-- them back once a file has it again. Its alias is left to the caller, who holds its lock and the deployment lock.
-- Locks: the flow's started runs, for 500 ms at most; then as cancel_run.
create or replace function pgflow._retire_missing_flow(p_flow_slug text, p_reason text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[] := array(
    select r.run_id from pgflow.runs r
    where r.flow_slug = p_flow_slug and num_nonnulls(r.completed_at, r.failed_at, r.cancelled_at) = 0
  );
begin
  perform pgflow._lock_runs_briefly(v_run_ids);
  update pgflow.flows f set missing_since = clock_timestamp() where f.flow_slug = p_flow_slug;
  perform pgflow.cancel_run(u.run_id, p_reason) from unnest(v_run_ids) as u (run_id);
end;
$$;
