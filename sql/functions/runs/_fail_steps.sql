-- Fails one step in each of the given runs, and the run with it: what is queued or started in the run becomes cancelled and its messages are archived; the run's
-- other steps keep the state they have. A run that has ended already is left alone.
create or replace function pgflow._fail_steps(p_run_ids uuid[], p_step_slugs text[], p_error_messages text[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_run_ids uuid[];
  v_queue_names text[];
  v_message_ids bigint[];
begin
  with failed as (
    update pgflow.runs r
    set status = 'failed', failed_at = now(), error_message = f.error_message, error_step_slug = f.step_slug
    from unnest(p_run_ids, p_step_slugs, p_error_messages) as f (run_id, step_slug, error_message)
    where r.run_id = any (array[f.run_id]) and r.status = 'started'
    returning r.run_id, f.step_slug, f.error_message
  ), steps as (
    update pgflow.step_states s
    set status = 'failed', failed_at = now(), error_message = f.error_message
    from failed f
    where s.run_id = any (array[f.run_id]) and s.step_slug = f.step_slug
  )
  select array_agg(f.run_id) into v_run_ids from failed f;

  with ended as (
    update pgflow.step_tasks t
    set status = 'cancelled'
    from unnest(v_run_ids) as f (run_id)
    where t.run_id = any (array[f.run_id]) and t.status in ('queued', 'started')
    returning t.queue_name, t.message_id
  )
  select array_agg(e.queue_name), array_agg(e.message_id) into v_queue_names, v_message_ids from ended e;
  perform pgflow._archive_messages(v_queue_names, v_message_ids);
end;
$$;
