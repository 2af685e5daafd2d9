-- Raises a queue's counter so that its next message has an id above all that its name has ever given out, and all that
-- stand in it, so that no id means two messages: its table may have been created again, its counter reset, or or rows
-- written with ids that the counter will reach, so that each send would fail. Ids from 2^62 on count as never given
-- out: a writer of such an id would use up all that there are.
create or replace function pgflow._raise_message_ids(p_queue_name text) returns void
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
  ) using p_queue_name, 1::bigint << 62 into v_known_id;
  if v_known_id > pgflow._last_message_id(p_queue_name) then
    perform setval(pg_get_serial_sequence(format('pgmq.%I', pgmq.format_table_name(p_queue_name, 'q')), 'msg_id'), v_known_id);
  end if;
end;
$$;
