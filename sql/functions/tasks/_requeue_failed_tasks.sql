-- Queues failed attempts of a batch again whose verdict is 'retry' or 'snooze', visible after their delay: the one
-- given, else the backoff. A handler that snoozes has come to its end: what was counted of runs that cost nothing is
-- forgotten.
create or replace function pgflow._requeue_failed_tasks(p_callbacks pgflow.callback[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_messages pgflow.message[];
begin
  with requeued as (
    update pgflow.step_tasks t
    set status = 'queued', started_at = null, error_message = left(g.message, 8192), settled_claim_no = t.claim_no,
      attempts_count = t.attempts_count - (g.verdict = 'snooze')::int,
      suspicion = case g.verdict when 'snooze' then 0 else t.suspicion end,
      lost_transactions = case g.verdict when 'snooze' then 0 else t.lost_transactions end
    from unnest(p_callbacks) g
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.verdict in ('retry', 'snooze')
    returning t.flow_slug, t.step_slug, t.queue_name, t.message_id, t.attempts_count, g.delay
  )
  select array_agg((q.queue_name, q.message_id, clock_timestamp() + make_interval(
    secs => pgflow._retry_delay(q.delay, coalesce(d.opt_base_delay, f.opt_base_delay), q.attempts_count)
  ))::pgflow.message)
  into v_messages
  from requeued q
  join pgflow.steps d on d.flow_slug = any (array[q.flow_slug]) and d.step_slug = q.step_slug
  join pgflow.flows f on f.flow_slug = any (array[q.flow_slug]);
  perform pgflow._set_visibility(v_messages);
  perform pgflow._notify_queues(array(select m.queue_name from unnest(v_messages) m));
end;
$$;
