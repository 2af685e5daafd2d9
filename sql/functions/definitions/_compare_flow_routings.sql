-- What differs between two routings, in words, over the steps that both have; empty where they are equal.
create or replace function pgflow._compare_flow_routings(p_local jsonb, p_db jsonb) returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(
    format('Step %s: queue differs ''%s'' vs ''%s''', l.step_slug, l.queue_name, p_db ->> l.step_slug) order by l.step_slug
  ), '{}')
  from jsonb_each_text(p_local) as l (step_slug, queue_name)
  where l.queue_name <> p_db ->> l.step_slug;
$$;
