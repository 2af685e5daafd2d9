-- set_vt_batch(queue_name, msg_ids, vt_offsets) -> the messages as they are now: each one becomes visible its own
-- number of seconds from now. Compatibility; with the caller's own rights on the queue's table. No rows if an array is
-- null or empty; unknown ids are ignored. Raises raise_exception if the arrays differ in length, undefined_table for a
-- queue that does not exist.
-- Locks: the queue rows.
create or replace function pgflow.set_vt_batch(queue_name text, msg_ids bigint[], vt_offsets int[])
returns table (msg_id bigint, read_ct int, enqueued_at timestamptz, vt timestamptz, message jsonb, headers jsonb)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if coalesce(cardinality(set_vt_batch.msg_ids), 0) = 0 or coalesce(cardinality(set_vt_batch.vt_offsets), 0) = 0 then
    return;
  end if;
  if cardinality(set_vt_batch.msg_ids) <> cardinality(set_vt_batch.vt_offsets) then
    raise exception 'msg_ids length (%) must equal vt_offsets length (%)', cardinality(set_vt_batch.msg_ids), cardinality(set_vt_batch.vt_offsets);
  end if;
  return query execute format(
    $update$
      update pgmq.%I q set vt = clock_timestamp() + make_interval(secs => m.vt_offset)
      from unnest($1, $2) as m (msg_id, vt_offset)
      where q.msg_id = any (array[m.msg_id])
      returning q.msg_id, q.read_ct, q.enqueued_at, q.vt, q.message, q.headers
    $update$, pgmq.format_table_name(set_vt_batch.queue_name, 'q')
  ) using set_vt_batch.msg_ids, set_vt_batch.vt_offsets;
end;
$$;
