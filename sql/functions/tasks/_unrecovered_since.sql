-- Returns the instant since which messages of a queue may have become visible whose tasks its last recovery has not
-- seen: a claim's message becomes visible no more than 30 s before its task counts as stalled. All of time if nobody has
-- recovered the queue in the last 60 s.
create or replace function pgflow._unrecovered_since(p_queue_name text) returns timestamptz
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return coalesce((
    select c.recovered_at - interval '30 seconds' from pgflow.recoveries c
    where c.queue_name = p_queue_name and pgflow._is_near(c.recovered_at, interval '60 seconds')
  ), '-infinity');
end;
$$;
