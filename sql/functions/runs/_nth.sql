-- Which one of many, as messages name it: ' 3 of 5'; empty for the only one.
create or replace function pgflow._nth(p_n bigint, p_count int) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select case when p_count > 1 then format(' %s of %s', p_n, p_count) else '' end;
$$;
