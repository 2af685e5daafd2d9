-- cascade_complete_taskless_steps(run_id) -> how many steps completed without a task. Compatibility; owner only.
-- Conditions, skips, empty maps and starts are one path here, so what is ready moves all the way. Locks: the run.
create or replace function pgflow.cascade_complete_taskless_steps(run_id uuid) returns int
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_open text[];
begin
  perform pgflow.lock_runs(array[cascade_complete_taskless_steps.run_id]);
  v_open := array(
    select s.step_slug from pgflow.step_states s
    where s.run_id = cascade_complete_taskless_steps.run_id and s.status = 'created'
  );
  perform pgflow._advance_run(cascade_complete_taskless_steps.run_id);
  return (
    select count(*) from pgflow.step_states s
    where s.run_id = cascade_complete_taskless_steps.run_id and s.step_slug = any (v_open) and s.status = 'completed'
  );
end;
$$;
