-- Fails for good the stalled tasks whose outcome is 'failed', through the path of every failure, so that their runs
-- end; the message has how often, this time included. The runs are locked by the caller.
create or replace function pgflow._fail_stalled_tasks(p_tasks pgflow.stalled_task[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_callbacks pgflow.callback[] := pgflow._record_failures(array(
    select (
      null, g.run_id, g.step_slug, g.task_index, null,
      'permanently stalled: ' || concat_ws(', ',
        'deaths of its worker: ' || n.deaths || ' (limit 10)', 'timeouts that it outlived: ' || n.timeouts || ' (limit 3)'),
      null, true, false, 'done'
    )::pgflow.callback
    from unnest(p_tasks) g
    cross join lateral (
      select nullif(t.requeued_dead_count + (g.reason = 'dead_worker')::int, 0) as deaths, nullif(t.requeued_count + (g.reason = 'timeout')::int, 0) as timeouts
      from pgflow.step_tasks t where t.run_id = g.run_id and t.step_slug = g.step_slug and t.task_index = g.task_index limit 1
    ) n
    where g.outcome = 'failed'
  ));
begin
  update pgflow.step_tasks t
  set permanently_stalled_at = now()
  from unnest(v_callbacks) g
  where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.verdict <> 'stale';
end;
$$;
