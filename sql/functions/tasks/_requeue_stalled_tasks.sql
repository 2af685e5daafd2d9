-- Queues stalled tasks again whose outcome is 'requeued', visible at once. The attempt that was lost stays counted. The
-- runs are locked by the caller.
create or replace function pgflow._requeue_stalled_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_reasons text[], p_outcomes text[]
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue_names text[];
  v_message_ids bigint[];
begin
  with requeued as (
    update pgflow.step_tasks t
    set status = 'queued', started_at = null, last_worker_id = null, last_requeued_at = now(),
      requeued_count = t.requeued_count + (g.reason = 'timeout')::int,
      requeued_dead_count = t.requeued_dead_count + (g.reason = 'dead_worker')::int
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_reasons, p_outcomes) as g (run_id, step_slug, task_index, reason, outcome)
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.outcome = 'requeued'
    returning t.queue_name, t.message_id
  )
  select array_agg(r.queue_name), array_agg(r.message_id) into v_queue_names, v_message_ids from requeued r;
  perform pgflow._show_messages(v_queue_names, v_message_ids);
  perform pgflow._notify_queues(v_queue_names);
end;
$$;
