-- start_ready_steps(run_id): moves on every step of the run that is ready; an ended or unknown run is left alone.
-- Compatibility; owner only. Conditions, skips, empty maps and starts are one path here, so a condition that is unmet
-- skips its step. Locks: the run.
create or replace function pgflow.start_ready_steps(run_id uuid) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow._advance_run(start_ready_steps.run_id);
end;
$$;
