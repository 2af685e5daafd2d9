-- Makes messages visible at once; two arrays of equal length, null if there are none. Unknown ids are ignored. Locks:
-- the queue rows.
create or replace function pgflow._show_messages(p_queue_names text[], p_message_ids bigint[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow._set_visibility(p_queue_names, p_message_ids, array(select clock_timestamp() from unnest(p_message_ids)));
end;
$$;
