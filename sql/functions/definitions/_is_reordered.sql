-- Returns whether two shapes have the same steps, in another order at most.
create or replace function pgflow._is_reordered(p_given jsonb, p_stored jsonb) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  with shapes as (
    select array_agg(jsonb_build_object('steps', (
      select jsonb_agg(s.value order by s.value ->> 'slug' collate "C") from jsonb_array_elements(h.value -> 'steps') s
    )) order by h.n) as sorted
    from unnest(array[p_given, p_stored]) with ordinality as h (value, n)
  )
  select not exists (select from shapes h cross join lateral pgflow._shape_differences(h.sorted[1], h.sorted[2]));
$$;
