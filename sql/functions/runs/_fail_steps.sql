-- Fails the given steps, one of a run, with their messages, and the runs with them: the run's queued and started tasks
-- become cancelled and their messages are archived; the run's other steps keep the state they have. A run that has
-- ended already is left alone.
create or replace function pgflow._fail_steps(p_steps pgflow.step_verdict[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
  v_steps pgflow.step_key[];
begin
  with failed as (
    update pgflow.runs r
    set status = 'failed', failed_at = greatest(statement_timestamp(), r.started_at), error_message = f.error_message, error_step_slug = f.step_slug
    from unnest(p_steps) f
    where r.run_id = any (array[f.run_id]) and r.status = 'started'
    returning r.run_id, f.step_slug, f.error_message
  ), steps as (
    update pgflow.step_states s
    set status = 'failed', failed_at = greatest(statement_timestamp(), s.started_at), error_message = f.error_message
    from failed f
    where s.run_id = any (array[f.run_id]) and s.step_slug = f.step_slug
  )
  select array_agg(f.run_id), array_agg((f.run_id, f.step_slug)::pgflow.step_key) into v_run_ids, v_steps from failed f;
  perform pgflow._send_step_events(v_steps);
  perform pgflow._send_run_events(v_run_ids);
  perform pgflow._cancel_tasks(v_run_ids);
end;
$$;
