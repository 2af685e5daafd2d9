-- Returns the deployment checks of a registry that does not cover its worker's queue: a row 'uncovered' for each flow
-- with such steps, in differences. Flows that the deployment recreates lose their runs and do not count.
create or replace function pgflow._check_coverage(p_queue_name text, p_registry jsonb, p_checks pgflow.deployment_check[])
returns setof pgflow.deployment_check
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_flow_slugs text[];
  v_step_slugs text[];
begin
  select array_agg(h.flow_slug), array_agg(h.step_slug) into v_flow_slugs, v_step_slugs from pgflow._registry_pairs(p_registry) h;
  return query
    select u.flow_slug, 'uncovered', array_agg(format('Step %s: %s', u.step_slug, u.held_by) order by u.step_slug),
      format('tasks of these steps can still arrive on queue %s, and this worker lacks their handlers: add the flow with luaflow.retain to its flows',
        p_queue_name)
    from pgflow.uncovered_pairs(p_queue_name, v_flow_slugs, v_step_slugs) u
    where not exists (select from unnest(p_checks) c where c.flow_slug = u.flow_slug and c.status = 'recreated')
    group by u.flow_slug
    order by u.flow_slug;
end;
$$;
