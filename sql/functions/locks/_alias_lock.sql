-- Returns the table whose lock is that of an alias: start_flow holds it in ROW SHARE mode, which it takes before it resolves the
-- name until commit; every function that moves the alias or removes its flows holds it in EXCLUSIVE mode. Aliases that
-- share one only wait for each other. In PL/pgSQL, which starts faster if a function cannot be inlined.
create or replace function pgflow._alias_lock(p_flow_alias text) returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
  return 'alias_lock_' || (hashtextextended(p_flow_alias, 0) & 63);
end;
$$;
