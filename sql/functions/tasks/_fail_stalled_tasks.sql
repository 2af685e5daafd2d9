-- Fails for good the stalled tasks whose outcome is 'failed', through the path of every failure, so that their runs
-- end. The runs are locked by the caller.
create or replace function pgflow._fail_stalled_tasks(p_tasks pgflow.stalled_task[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_message text := 'permanently stalled: the task has used all its retries after stalls';
  v_callbacks pgflow.callback[] := pgflow._record_failures(array(
    select (null, g.run_id, g.step_slug, g.task_index, null, v_message, null, true, false, 'done')::pgflow.callback
    from unnest(p_tasks) g
    where g.outcome = 'failed'
  ));
begin
  update pgflow.step_tasks t
  set permanently_stalled_at = now()
  from unnest(v_callbacks) g
  where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.verdict <> 'stale';
end;
$$;
