-- Puts the claimed tasks of a batch back, as release_tasks says; the three arrays are by ordinal, and may be null.
-- Returns the batch as judged.
-- Locks: runs in order, tasks, then queue rows; until commit.
create or replace function pgflow._release_tasks(
  p_callbacks pgflow.callback[], p_suspicion int[] default null, p_lost_transactions boolean[] default null, p_delays float8[] default null
) returns pgflow.callback[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_callbacks pgflow.callback[];
  v_messages pgflow.message[];
  v_queue_names text[];
begin
  perform pgflow.lock_runs(array(select g.run_id from unnest(p_callbacks) g));
  v_callbacks := pgflow._judge_callbacks(p_callbacks);
  with released as (
    update pgflow.step_tasks t
    set status = 'queued', started_at = null, last_worker_id = null, attempts_count = t.attempts_count - 1,
      suspicion = t.suspicion + greatest(p_suspicion[g.ordinal], 0),
      lost_transactions = t.lost_transactions + coalesce(p_lost_transactions[g.ordinal], false)::int
    from unnest(v_callbacks) g
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.verdict = 'done'
    returning t.queue_name, t.message_id, least(greatest(p_delays[g.ordinal], 0), 86400) as delay
  )
  select array_agg((r.queue_name, r.message_id, clock_timestamp() + make_interval(secs => r.delay))::pgflow.message),
    array_agg(r.queue_name) filter (where r.delay = 0)
  into v_messages, v_queue_names
  from released r;
  perform pgflow._set_visibility(v_messages);
  perform pgflow._notify_queues(v_queue_names);
  return v_callbacks;
end;
$$;
