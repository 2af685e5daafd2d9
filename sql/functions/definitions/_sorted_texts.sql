-- Returns the texts of a JSON array, sorted by bytes; empty for null.
create or replace function pgflow._sorted_texts(p_array jsonb) returns text[]
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(t.value order by t.value collate "C"), '{}') from jsonb_array_elements_text(p_array) as t (value);
$$;
