-- After a read of a queue has failed with an error of its data: archives those among the next visible messages, a
-- thousand at most, that cannot be read, each tried for itself as pgmq.read does it, and returns them with what the
-- server says. (Every role that may write to a queue can write such a message, with the largest number as its read_ct.)
-- A task whose message was archived gets another one by recovery.
-- Locks: those messages, skipping what is locked.
create or replace function pgflow._archive_unreadable(p_queue_name text) returns table (msg_id bigint, message text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_table text := pgmq.format_table_name(p_queue_name, 'q');
begin
  for msg_id in execute format('select q.msg_id from pgmq.%I q where q.vt <= clock_timestamp() order by q.msg_id limit 1000 for update skip locked',
    v_table) loop
    begin
      execute format('update pgmq.%I q set last_read_at = clock_timestamp(), vt = clock_timestamp(), read_ct = q.read_ct + 1 where q.msg_id = $1',
        v_table) using msg_id;
      raise exception using errcode = 'LF000'; -- rolls back what was only tried
    exception
      when sqlstate 'LF000' then
        null;
      when data_exception or integrity_constraint_violation or program_limit_exceeded then
        message := sqlerrm;
        perform pgflow._archive_messages(array[(p_queue_name, msg_id, null)::pgflow.message]);
        return next;
    end;
  end loop;
end;
$$;
