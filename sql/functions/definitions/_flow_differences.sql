-- Returns what differs between a flow of a registry and the stored one of its slug, a sentence each: of the shapes, and
-- of the routings over the steps that both have. Empty if they are equal. only_order: the steps differ in their order alone.
create or replace function pgflow._flow_differences(p_flow jsonb, out shape text[], out routing text[], out only_order boolean)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select d.shape, d.routing, d.shape <> '{}' and pgflow._is_reordered(p_flow -> 'shape', pgflow._get_flow_shape(p_flow ->> 'slug'))
  from (
    select
      array(
        select pgflow._difference(d.place, d.part, d.given, d.stored)
        from pgflow._shape_differences(p_flow -> 'shape', pgflow._get_flow_shape(p_flow ->> 'slug')) d
        order by d.n
      ) as shape,
      array(
        select pgflow._difference('Step ' || g.step_slug, 'queue', format('''%s''', g.queue_name), format('''%s''', s.routing ->> g.step_slug))
        from (select pgflow._get_flow_routing(p_flow ->> 'slug') as routing) s
        cross join lateral jsonb_each_text(p_flow -> 'routing') as g (step_slug, queue_name)
        where g.queue_name <> s.routing ->> g.step_slug
        order by g.step_slug collate "C"
      ) as routing
  ) d;
$$;
