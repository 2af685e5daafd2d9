-- Sets the instant at which each message becomes visible; three arrays of equal length. Unknown ids are ignored.
-- Locks: the queue rows. Raises undefined_table for a queue that does not exist.
create or replace function pgflow._set_visibility(p_queue_names text[], p_message_ids bigint[], p_visible_at timestamptz[])
returns void
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
    from unnest(p_queue_names, p_message_ids, p_visible_at) as m (queue_name, message_id, visible_at)
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
