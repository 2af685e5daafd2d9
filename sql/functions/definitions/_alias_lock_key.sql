-- The advisory lock of an alias: start_flow holds it shared from before it resolves the name until commit; whatever moves
-- the alias or removes its flows holds it exclusively.
create or replace function pgflow._alias_lock_key(p_flow_alias text) returns bigint
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select hashtextextended('pgflow.alias:' || p_flow_alias, 0);
$$;
