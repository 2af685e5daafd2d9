-- The part of check_invariants that looks at messages: every active task, of the given runs or of all of them for null,
-- has one in its queue, and every message there has an active task. Where runs are given they are the started ones,
-- which a message's task must be of.
create or replace function pgflow._check_messages(p_run_ids uuid[]) returns table (invariant text, subject text, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  v_queue_names text[] := array(select q.queue_name from pgflow.queues q where pgflow._queue_exists(q.queue_name) order by q.queue_name);
begin
  return query
    select 'queue exists', q.queue_name, 'a deployment created it, but its table is missing or not trusted'
    from pgflow.queues q
    where q.queue_name <> all (v_queue_names);
  return query
    with messages as materialized (
      select q.queue_name, m.message_id
      from unnest(v_queue_names) as q (queue_name)
      cross join unnest(pgflow._look(format('select array_agg(m.msg_id) from pgmq.%I m',
        pgmq.format_table_name(q.queue_name, 'q')))::bigint[]) as m (message_id)
    ), active as materialized (
      select t.* from pgflow.step_tasks t
      where (p_run_ids is null or t.run_id = any (p_run_ids)) and t.status in ('queued', 'started') and t.message_id is not null
        and t.queue_name in (select u.queue_name from unnest(v_queue_names) as u (queue_name))
    )
    select
      case when m.message_id is null then 'active task has a message'
        when t.status in ('queued', 'started') then 'active task is under a started step and run'
        when t.run_id is null then 'message belongs to a task'
        else 'message has an active task' end,
      format('%s %s', coalesce(m.queue_name, a.queue_name), coalesce(m.message_id, a.message_id)),
      case when coalesce(a.run_id, t.run_id) is null then 'there is no task'
        else format('task %s %s[%s] is %s', coalesce(a.run_id, t.run_id), coalesce(a.step_slug, t.step_slug), coalesce(a.task_index, t.task_index),
          coalesce(a.status, t.status)) end
    from messages m
    full join active a on a.queue_name = m.queue_name and a.message_id = m.message_id
    left join pgflow.step_tasks t on a.run_id is null and t.queue_name = any (array[m.queue_name]) and t.message_id = any (array[m.message_id])
    where a.run_id is null or m.message_id is null
    order by 2;
end;
$$;
