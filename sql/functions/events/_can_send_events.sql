-- Whether this database has somebody to tell: realtime.send(payload jsonb, event text, topic text, private boolean).
create or replace function pgflow._can_send_events() returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return to_regnamespace('realtime') is not null and to_regprocedure('realtime.send(jsonb, text, text, boolean)') is not null;
end;
$$;
