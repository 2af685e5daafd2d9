-- Archives messages of several queues. Those without an id are left out. One whose id the archive has already, which
-- somebody else wrote, is archived under a new id (_renumber_messages).
-- Locks: the queue rows. A message that is no longer in its queue is not an error. Called last, after the rows of
-- tasks.
create or replace function pgflow._archive_messages(p_messages pgflow.message[]) returns void
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
    order by m.queue_name
  loop
    begin
      perform pgmq.archive(v_queue.queue_name, v_queue.message_ids);
    exception when unique_violation then
      perform pgmq.archive(v_queue.queue_name, pgflow._renumber_messages(v_queue.queue_name, v_queue.message_ids));
    end;
  end loop;
end;
$$;
