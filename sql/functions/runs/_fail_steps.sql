-- Fails one step in each of the given runs, and the run with it: the run's queued and started tasks become cancelled
-- and their messages are archived; the run's other steps keep the state they have. A run that has ended already is left
-- alone.
create or replace function pgflow._fail_steps(p_run_ids uuid[], p_step_slugs text[], p_error_messages text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
  v_step_slugs text[];
begin
  with failed as (
    update pgflow.runs r
    set status = 'failed', failed_at = greatest(statement_timestamp(), r.started_at), error_message = f.error_message, error_step_slug = f.step_slug
    from unnest(p_run_ids, p_step_slugs, p_error_messages) as f (run_id, step_slug, error_message)
    where r.run_id = any (array[f.run_id]) and r.status = 'started'
    returning r.run_id, f.step_slug, f.error_message
  ), steps as (
    update pgflow.step_states s
    set status = 'failed', failed_at = greatest(statement_timestamp(), s.started_at), error_message = f.error_message
    from failed f
    where s.run_id = any (array[f.run_id]) and s.step_slug = f.step_slug
  )
  select array_agg(f.run_id), array_agg(f.step_slug) into v_run_ids, v_step_slugs from failed f;
  perform pgflow._send_step_events(v_run_ids, v_step_slugs);
  perform pgflow._send_run_events(v_run_ids);
  perform pgflow._cancel_tasks(v_run_ids);
end;
$$;
