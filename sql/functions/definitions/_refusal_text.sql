-- Returns why a deployment would be refused, from the rows of its answer as JSON: a sentence for each flow, with its
-- differences; null if it would not be.
create or replace function pgflow._refusal_text(p_answer jsonb) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select string_agg(
    concat_ws(': ', a.value ->> 'flow_slug', a.value ->> 'status', a.value ->> 'message',
      (select string_agg(d.value, ', ' order by d.n) from jsonb_array_elements_text(a.value -> 'differences') with ordinality as d (value, n))),
    '; ' order by a.n
  )
  from jsonb_array_elements(p_answer) with ordinality as a (value, n)
  where a.value ->> 'status' not in ('created', 'verified', 'recreated');
$$;
