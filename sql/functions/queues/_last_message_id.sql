-- Returns the largest id that a queue's counter has given to a message; 0 if it has given none, or has come to its end,
-- with less than 2^20 ids left. It is below those that tasks know if the queue was created again.
create or replace function pgflow._last_message_id(p_queue_name text) returns bigint
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(max(l.message_id), 0)
  from (
    select pgflow._look(format(
      'select pg_sequence_last_value(%L)', pg_get_serial_sequence(format('pgmq.%I', pgmq.format_table_name(p_queue_name, 'q')), 'msg_id')
    ))::bigint
  ) l (message_id)
  where l.message_id < 9223372036854775807 - (1 << 20);
$$;
