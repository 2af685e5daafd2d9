-- Gives new ids to those of the given messages of a queue whose ids its archive has already, and returns the ids of all
-- of them: an id that stands in an archive is somebody else's message, and neither is lost. Locks: the queue rows.
create or replace function pgflow._renumber_messages(p_queue_name text, p_message_ids bigint[]) returns bigint[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old bigint[];
  v_new bigint[];
begin
  perform pgflow._raise_message_ids(p_queue_name);
  execute format(
    'select coalesce(array_agg(a.msg_id), ''{}'') from unnest($1) as m (message_id) cross join lateral (
      select a.msg_id from pgmq.%I a where a.msg_id = m.message_id limit 1
    ) a', pgmq.format_table_name(p_queue_name, 'a')
  ) using p_message_ids into v_old;
  execute format(
    $update$
      with renumbered as (update pgmq.%I q set msg_id = default where q.msg_id = any ($1) returning q.msg_id) select coalesce(array_agg(r.msg_id), '{}')
        from renumbered r
    $update$, pgmq.format_table_name(p_queue_name, 'q')
  ) using v_old into v_new;
  return v_new || array(select m.message_id from unnest(p_message_ids) as m (message_id) where m.message_id <> all (v_old));
end;
$$;
