-- Returns which of the given messages' queued tasks have an input that cannot be built, or not be sent as UTF-8, and
-- what the server says about each. Looked at one by one, since one that fails hides the others: only if a claim of
-- several has failed.
create or replace function pgflow._input_faults(p_queue_name text, p_message_ids bigint[]) returns table (message_id bigint, message text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_message_id bigint;
begin
  foreach v_message_id in array p_message_ids loop
    begin
      -- No byte fits into no room: everything is looked at, and nothing is claimed.
      perform from pgflow._claim_messages(p_queue_name, array[v_message_id], null, 0, 0);
    exception when data_exception or program_limit_exceeded then
      message_id := v_message_id;
      message := sqlerrm;
      return next;
    end;
  end loop;
end;
$$;
