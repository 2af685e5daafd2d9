-- Sends a new message for each given active task of a queue whose message is missing (the queue was purged, or somebody
-- deleted, archived or popped the message), and returns those tasks. A task and its message are changed in one
-- transaction, so one snapshot that lacks the message of an active task shows a loss.
-- Locks: runs in order, those that are locked left for the next time; the tasks and queue rows.
create or replace function pgflow._resend_lost_messages(p_queue_name text, p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[])
returns table (run_id uuid, step_slug text, task_index int)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_run_ids uuid[];
begin
  execute format(
    $query$
      select array_agg(distinct t.run_id)
      from unnest($2, $3, $4) as g (run_id, step_slug, task_index)
      cross join lateral (
        select k.* from pgflow.step_tasks k
        where k.run_id = g.run_id and k.step_slug = g.step_slug and k.task_index = g.task_index limit 1 -- by its key, not by its queue
      ) t
      where t.queue_name = $1 and t.status in ('queued', 'started')
        and not exists (select from pgmq.%I q where q.msg_id = any (array[t.message_id]))
    $query$, pgmq.format_table_name(p_queue_name, 'q')
  ) using p_queue_name, p_run_ids, p_step_slugs, p_task_indexes into v_run_ids;
  if v_run_ids is null then
    return;
  end if;
  v_run_ids := array(
    select r.run_id from pgflow.runs r
    where r.run_id = any (v_run_ids) and r.status = 'started' order by r.run_id for update skip locked
  );
  return query
    select m.run_id, m.step_slug, m.task_index
    from (
      select array_agg(g.run_id) as run_ids, array_agg(g.step_slug) as step_slugs, array_agg(g.task_index) as task_indexes
      from unnest(p_run_ids, p_step_slugs, p_task_indexes) as g (run_id, step_slug, task_index)
      where (g.run_id in (select u.run_id from unnest(v_run_ids) as u (run_id))) is true -- looked up by hash
    ) l
    cross join lateral pgflow._resend_messages(p_queue_name, l.run_ids, l.step_slugs, l.task_indexes) m;
end;
$$;
