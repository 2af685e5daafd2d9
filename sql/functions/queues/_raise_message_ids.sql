-- Raises a queue's counter, and never lowers it before its end, so that its next message has an id above all that its name has ever
-- given out, and all that stand in it, so that no id means two messages: its table may have been created again, its
-- counter reset, or rows written with ids that the counter will reach, so that each send would fail. Ids that are too
-- far (_far_message_id) do not move it.
create or replace function pgflow._raise_message_ids(p_queue_name text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_known_id bigint := pgflow._known_message_id(p_queue_name, pgflow._far_message_id(pgflow._last_message_id(p_queue_name)));
begin
  -- Others send meanwhile: a known id was given out before the counter is read again, and is not above it.
  if v_known_id > pgflow._last_message_id(p_queue_name) then
    perform setval(pg_get_serial_sequence(format('pgmq.%I', pgmq.format_table_name(p_queue_name, 'q')), 'msg_id'), v_known_id);
  end if;
end;
$$;
