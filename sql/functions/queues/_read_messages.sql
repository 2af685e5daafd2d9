-- Reads up to quantity visible messages of a queue and hides them. pgmq.read joins the queue to the ids that it has
-- chosen; if the queue's statistics say that it is empty (it was when it was analyzed), a nested loop would compare
-- every message with every id. A merge join stops at the last id.
create or replace function pgflow._read_messages(p_queue_name text, p_hidden_s int, p_quantity int)
returns table (msg_id bigint, enqueued_at timestamptz)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_nestloop = off
set enable_hashjoin = off
set enable_mergejoin = on
as $$
#variable_conflict use_column
begin
  return query select m.msg_id, m.enqueued_at from pgmq.read(p_queue_name, p_hidden_s, p_quantity) m;
end;
$$;
