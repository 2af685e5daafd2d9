-- Counts the tasks of a batch that are done (_count_down_tasks), completes the steps that have none left, and moves their
-- runs on. The runs are locked by the caller.
create or replace function pgflow._finish_tasks(p_callbacks pgflow.callback[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_key[] := pgflow._count_down_tasks(p_callbacks);
begin
  perform pgflow._send_step_events(v_steps);
  perform pgflow._advance_steps(pgflow._count_down_dependents(v_steps));
end;
$$;
