-- Returns the locks of aliases, each once and in the one order in which they are taken.
create or replace function pgflow._alias_locks(p_flow_aliases text[]) returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select array(select distinct pgflow._alias_lock(u.flow_alias) from unnest(p_flow_aliases) as u (flow_alias) order by 1);
$$;
