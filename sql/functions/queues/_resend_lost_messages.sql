-- Sends a new message for each given active task of a queue whose message is missing (the queue was purged, or somebody
-- deleted, archived or popped the message), and returns those tasks. A task and its message are changed in one
-- transaction, so one snapshot that lacks the message of an active task shows a loss.
-- Locks: runs in order, those that are locked left for the next time; the tasks and queue rows.
create or replace function pgflow._resend_lost_messages(p_queue_name text, p_tasks pgflow.task_key[]) returns setof pgflow.task_key
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
begin
  execute format(
    $query$
      select array_agg(distinct t.run_id)
      from unnest($2) g
      cross join lateral (
        select k.* from pgflow.step_tasks k
        where k.run_id = g.run_id and k.step_slug = g.step_slug and k.task_index = g.task_index limit 1 -- by its key, not by its queue
      ) t
      where t.queue_name = $1 and t.status in ('queued', 'started')
        and not exists (select from pgmq.%I q where q.msg_id = any (array[t.message_id]))
    $query$, pgmq.format_table_name(p_queue_name, 'q')
  ) using p_queue_name, p_tasks into v_run_ids;
  if v_run_ids is null then
    return;
  end if;
  v_run_ids := pgflow._lock_free_runs(v_run_ids);
  return query
    select m.*
    from pgflow._resend_messages(p_queue_name, array(
      select g from unnest(p_tasks) g where (g.run_id in (select u.run_id from unnest(v_run_ids) as u (run_id))) is true -- looked up by hash
    )) m;
end;
$$;
