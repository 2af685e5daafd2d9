-- Records for doctor that events could not be sent, and warns in the server's log; at most once a minute, and never
-- waits for anybody.
create or replace function pgflow._note_event_failure(p_sqlstate text, p_message text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  update pgflow.event_failures f
  set failed_at = clock_timestamp(), message = left(format('%s (SQLSTATE %s)', p_message, p_sqlstate), 1000)
  where f.singleton in (
    select g.singleton from pgflow.event_failures g where g.failed_at < clock_timestamp() - interval '1 minute' for update skip locked
  );
  if found then
    raise warning 'luaflow: could not send events of runs: % (SQLSTATE %)', p_message, p_sqlstate
      using hint = 'correct realtime.send and the tables that it writes to; runs continue without events';
  end if;
exception
  when serialization_failure then
    null; -- somebody else has noted one since this transaction's snapshot
end;
$$;
