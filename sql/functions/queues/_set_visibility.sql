-- Has each message become visible at its instant (visible_at). Unknown ids are ignored.
-- Locks: the queue rows. Raises undefined_table for a queue that does not exist.
create or replace function pgflow._set_visibility(p_messages pgflow.message[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue record;
begin
  for v_queue in
    select m.queue_name,
      array_agg(m.message_id order by m.message_id) as message_ids,
      array_agg(m.visible_at order by m.message_id) as visible_at
    from unnest(p_messages) m
    where m.message_id is not null
    group by m.queue_name
    order by m.queue_name
  loop
    execute format(
      'update pgmq.%I q set vt = m.visible_at from unnest($1, $2) as m (message_id, visible_at) where q.msg_id = any (array[m.message_id])',
      pgmq.format_table_name(v_queue.queue_name, 'q')
    ) using v_queue.message_ids, v_queue.visible_at;
  end loop;
end;
$$;
