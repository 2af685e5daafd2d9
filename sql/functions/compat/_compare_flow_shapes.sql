-- _compare_flow_shapes(local, db) -> text[]: what differs between two shapes, in pgflow's words; empty if they are
-- equal. Compatibility.
create or replace function pgflow._compare_flow_shapes(p_local jsonb, p_db jsonb) returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(
    case
      when d.part = 'step' and d.given is null then format('%s: missing in first shape (second has %s)', d.place, d.stored)
      when d.part = 'step' then format('%s: missing in second shape (first has %s)', d.place, d.given)
      when d.part is null then format('%s differs: %s vs %s', d.place, d.given, d.stored)
      when d.part = 'dependencies' then format('%s: dependencies differ %s vs %s', d.place, d.given, d.stored)
      when d.part like '%InputPattern' then format('%s: %s differs ''%s'' vs ''%s''', d.place, d.part, d.given, d.stored)
      else format('%s: %s differs %s vs %s', d.place, case d.part when 'stepType' then 'type' else d.part end, d.given, d.stored)
    end order by d.n
  ), '{}')
  from pgflow._shape_differences(p_local, p_db) d;
$$;
