-- Returns the largest id below a limit that a message of a queue's name has or had: of its tasks, in its table, and in
-- its archive; null if there is none.
create or replace function pgflow._known_message_id(p_queue_name text, p_below bigint) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_known_id bigint;
begin
  execute format(
    'select greatest((select max(t.message_id) from pgflow.step_tasks t where t.queue_name = $1 and t.message_id < $2),
      (select max(a.msg_id) from pgmq.%I a where a.msg_id < $2), (select max(q.msg_id) from pgmq.%I q where q.msg_id < $2))',
    pgmq.format_table_name(p_queue_name, 'a'), pgmq.format_table_name(p_queue_name, 'q')
  ) using p_queue_name, p_below into v_known_id;
  return v_known_id;
end;
$$;
