-- Returns the deployment checks of a registry that does not cover its worker's queue: a row 'uncovered' for each flow
-- with such steps, in differences. Flows that the deployment recreates lose their runs and do not count, and no run of a
-- version starts any more that it replaces under the alias.
create or replace function pgflow._check_coverage(p_queue_name text, p_registry jsonb, p_checks pgflow.deployment_check[])
returns setof pgflow.deployment_check
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_replaced text[] := array(
    select j.replaced_slug
    from jsonb_array_elements(p_registry -> 'flows') as f (value)
    cross join lateral pgflow._judge_alias(f.value, p_registry) j
    where j.replaced_slug is not null
  );
begin
  return query
    select u.flow_slug, 'uncovered', array_agg(format('Step %s: %s', u.step_slug, u.held_by) order by u.step_slug),
      format('tasks of these steps can still arrive on queue %s, and this worker lacks their handlers: add the flow with luaflow.retain to its flows',
        p_queue_name)
    from pgflow._reachable_pairs(p_queue_name, v_replaced) u
    where (u.flow_slug, u.step_slug) not in (select h.flow_slug, h.step_slug from pgflow._registry_pairs(p_registry) h)
      and not exists (select from unnest(p_checks) c where c.flow_slug = u.flow_slug and c.status = 'recreated')
    group by u.flow_slug
    order by u.flow_slug;
end;
$$;
