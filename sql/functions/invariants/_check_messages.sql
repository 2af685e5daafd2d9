-- The part of check_invariants that looks at messages: every active task has one in its queue, and every message there has an active task.
create or replace function pgflow._check_messages() returns table (invariant text, subject text, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_name text;
begin
  return query
    select 'queue exists', q.queue_name, 'it was made by a deployment and its table is gone'
    from pgflow.queues q
    where not pgflow._queue_exists(q.queue_name);
  for v_queue_name in
    select q.queue_name from pgflow.queues q
    where pgflow._queue_exists(q.queue_name)
    order by q.queue_name
  loop
    return query execute format(
      $check$
        select case when m.msg_id is null then 'active task has a message' else 'message has an active task' end,
          format('%%s %%s', %1$L, coalesce(t.message_id, m.msg_id)),
          coalesce(format('task %%s %%s[%%s] is %%s', t.run_id, t.step_slug, t.task_index, t.status), 'there is no task')
        from (select * from pgflow.step_tasks t where t.queue_name = %1$L) t
        full join pgmq.%2$I m on m.msg_id = t.message_id
        where (m.msg_id is null and t.status in ('queued', 'started'))
          or (m.msg_id is not null and (t.status is null or t.status not in ('queued', 'started')))
      $check$, v_queue_name, pgmq.format_table_name(v_queue_name, 'q')
    );
  end loop;
end;
$$;
