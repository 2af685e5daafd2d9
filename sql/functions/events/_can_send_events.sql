-- Returns whether this database can send events: realtime.send(payload jsonb, event text, topic text, private boolean),
-- and both the function and its schema belong to roles that are trusted, since it runs with its caller's rights.
create or replace function pgflow._can_send_events() returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return to_regnamespace('realtime') is not null and exists (
    select from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = any (array[p.pronamespace])
    where p.oid = to_regprocedure('realtime.send(jsonb, text, text, boolean)')
      and pgflow._is_trusted_role(p.proowner) and pgflow._is_trusted_role(n.nspowner)
  );
end;
$$;
