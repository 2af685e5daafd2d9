-- Deletes messages of several queues, waiting or archived. Those without an id are left out, as are queues that do not
-- exist any more. Locks: the messages' rows.
create or replace function pgflow._delete_messages(p_messages pgflow.message[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue record;
begin
  for v_queue in
    select m.queue_name, array_agg(m.message_id order by m.message_id) as message_ids
    from unnest(p_messages) m
    where m.message_id is not null
    group by m.queue_name
    having pgflow._queue_exists(m.queue_name)
    order by m.queue_name
  loop
    execute format('delete from pgmq.%I m where m.msg_id = any ($1)', pgmq.format_table_name(v_queue.queue_name, 'q')) using v_queue.message_ids;
    execute format('delete from pgmq.%I m where m.msg_id = any ($1)', pgmq.format_table_name(v_queue.queue_name, 'a')) using v_queue.message_ids;
  end loop;
end;
$$;
