-- Returns what the runtime options of a shape change in the stored flow and its steps, a line each: "timeout 60 -> 7",
-- "Step total: max_attempts 3 -> 5".
create or replace function pgflow._option_changes(p_flow_slug text, p_shape jsonb) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with options as (
    select 0 as n, null as place, o.*
    from pgflow.flows f
    cross join lateral (values
      (1, 'max_attempts', f.opt_max_attempts, coalesce((p_shape #>> '{options,maxAttempts}')::int, 3)),
      (2, 'base_delay', f.opt_base_delay, coalesce((p_shape #>> '{options,baseDelay}')::int, 5)),
      (3, 'timeout', f.opt_timeout, coalesce((p_shape #>> '{options,timeout}')::int, 60))
    ) as o (rank, name, stored, given)
    where f.flow_slug = p_flow_slug
    union all
    select e.n, format('Step %s', s.step_slug), o.*
    from jsonb_array_elements(p_shape -> 'steps') with ordinality as e (step, n)
    join pgflow.steps s on s.flow_slug = p_flow_slug and s.step_slug = e.step ->> 'slug'
    cross join lateral (values
      (1, 'max_attempts', s.opt_max_attempts, (e.step #>> '{options,maxAttempts}')::int),
      (2, 'base_delay', s.opt_base_delay, (e.step #>> '{options,baseDelay}')::int),
      (3, 'timeout', s.opt_timeout, (e.step #>> '{options,timeout}')::int),
      (4, 'start_delay', coalesce(s.opt_start_delay, 0), coalesce((e.step #>> '{options,startDelay}')::int, 0))
    ) as o (rank, name, stored, given)
  )
  select coalesce(array_agg(
    concat_ws(': ', o.place, format('%s %s -> %s', o.name, coalesce(o.stored::text, 'the flow''s'), coalesce(o.given::text, 'the flow''s')))
    order by o.n, o.rank
  ), '{}')
  from options o
  where o.stored is distinct from o.given;
$$;
