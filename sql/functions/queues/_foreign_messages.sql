-- Returns how many messages of a queue, and how many in its archive, belong to no task. Raises undefined_table for a
-- queue that does not exist.
create or replace function pgflow._foreign_messages(p_queue_name text) returns table (waiting bigint, archived bigint)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query execute format(
    $query$
      select
        (select count(*) from pgmq.%I m where not exists (select from pgflow.step_tasks t where t.queue_name = $1 and t.message_id = m.msg_id)),
        (select count(*) from pgmq.%I m where not exists (select from pgflow.step_tasks t where t.queue_name = $1 and t.message_id = m.msg_id))
    $query$, pgmq.format_table_name(p_queue_name, 'q'), pgmq.format_table_name(p_queue_name, 'a')
  ) using p_queue_name;
end;
$$;
