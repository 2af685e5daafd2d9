-- Queues stalled tasks again whose outcome is 'requeued', visible at once. The attempt that was lost stays counted. The
-- runs are locked by the caller.
create or replace function pgflow._requeue_stalled_tasks(p_tasks pgflow.stalled_task[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_messages pgflow.message[];
begin
  with requeued as (
    update pgflow.step_tasks t
    set status = 'queued', started_at = null, last_worker_id = null, last_requeued_at = now(),
      requeued_count = t.requeued_count + (g.reason = 'timeout')::int,
      requeued_dead_count = t.requeued_dead_count + (g.reason = 'dead_worker')::int
    from unnest(p_tasks) g
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.outcome = 'requeued'
    returning t.queue_name, t.message_id
  )
  select array_agg((r.queue_name, r.message_id, clock_timestamp())::pgflow.message) into v_messages from requeued r;
  perform pgflow._set_visibility(v_messages);
  perform pgflow._notify_queues(array(select m.queue_name from unnest(v_messages) m));
end;
$$;
