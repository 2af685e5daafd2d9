-- Returns what the runtime options of a shape change in the stored flow and its steps, in order, with the sentence about
-- each: "orders: timeout 60 -> 7 s", "orders.pay: max_attempts the flow's -> 5". step_slug is null for the flow's own
-- options; a step's value that is null is the flow's.
create or replace function pgflow._option_changes(p_flow_slug text, p_shape jsonb)
returns table (n bigint, step_slug text, option text, from_value int, to_value int, change text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with options as (
    select 0 as n, null as step_slug, o.*
    from pgflow.flows f
    cross join lateral (values
      (1, 'max_attempts', f.opt_max_attempts, coalesce((p_shape #>> '{options,maxAttempts}')::int, 3), ''),
      (2, 'base_delay', f.opt_base_delay, coalesce((p_shape #>> '{options,baseDelay}')::int, 5), ' s'),
      (3, 'timeout', f.opt_timeout, coalesce((p_shape #>> '{options,timeout}')::int, 60), ' s')
    ) as o (rank, name, stored, given, unit)
    where f.flow_slug = p_flow_slug
    union all
    select e.n, s.step_slug, o.*
    from jsonb_array_elements(p_shape -> 'steps') with ordinality as e (step, n)
    join pgflow.steps s on s.flow_slug = p_flow_slug and s.step_slug = e.step ->> 'slug'
    cross join lateral (values
      (1, 'max_attempts', s.opt_max_attempts, (e.step #>> '{options,maxAttempts}')::int, ''),
      (2, 'base_delay', s.opt_base_delay, (e.step #>> '{options,baseDelay}')::int, ' s'),
      (3, 'timeout', s.opt_timeout, (e.step #>> '{options,timeout}')::int, ' s'),
      (4, 'start_delay', coalesce(s.opt_start_delay, 0), coalesce((e.step #>> '{options,startDelay}')::int, 0), ' s')
    ) as o (rank, name, stored, given, unit)
  )
  select row_number() over (order by o.n, o.rank), o.step_slug, o.name, o.stored, o.given,
    format('%s: %s %s -> %s', concat_ws('.', p_flow_slug, o.step_slug), o.name,
      coalesce(o.stored || case when o.given is null then o.unit else '' end, 'the flow''s'), coalesce(o.given || o.unit, 'the flow''s'))
  from options o
  where o.stored is distinct from o.given;
$$;
