-- Stores the runtime options of a flow and its steps from a shape: attempts, delays and timeouts; and each change with
-- the worker that made it, the last 100 of a flow. Rows that are equal already are not touched. The deployment lock is
-- held by the caller.
create or replace function pgflow._update_runtime_options(p_flow_slug text, p_shape jsonb, p_worker_id uuid, p_function_name text) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  insert into pgflow.option_changes (flow_slug, step_slug, option, from_value, to_value, change, function_name, worker_id)
  select p_flow_slug, o.step_slug, o.option, o.from_value, o.to_value, o.change, p_function_name, p_worker_id
  from pgflow._option_changes(p_flow_slug, p_shape) o
  order by o.n;

  delete from pgflow.option_changes c
  where c.flow_slug = p_flow_slug
    and c.change_id <= (select o.change_id from pgflow.option_changes o where o.flow_slug = p_flow_slug order by o.change_id desc offset 100 limit 1);

  update pgflow.flows f
  set opt_max_attempts = o.max_attempts, opt_base_delay = o.base_delay, opt_timeout = o.timeout
  from (
    select coalesce((p_shape #>> '{options,maxAttempts}')::int, 3) as max_attempts,
      coalesce((p_shape #>> '{options,baseDelay}')::int, 5) as base_delay,
      coalesce((p_shape #>> '{options,timeout}')::int, 60) as timeout
  ) o
  where f.flow_slug = p_flow_slug
    and (f.opt_max_attempts, f.opt_base_delay, f.opt_timeout) is distinct from (o.max_attempts, o.base_delay, o.timeout);

  update pgflow.steps s
  set opt_max_attempts = o.max_attempts, opt_base_delay = o.base_delay, opt_timeout = o.timeout, opt_start_delay = o.start_delay
  from (
    select step ->> 'slug' as step_slug,
      (step #>> '{options,maxAttempts}')::int as max_attempts, (step #>> '{options,baseDelay}')::int as base_delay,
      (step #>> '{options,timeout}')::int as timeout, (step #>> '{options,startDelay}')::int as start_delay
    from jsonb_array_elements(p_shape -> 'steps') as e (step)
  ) o
  where s.flow_slug = p_flow_slug
    and s.step_slug = o.step_slug
    and (s.opt_max_attempts, s.opt_base_delay, s.opt_timeout, s.opt_start_delay)
      is distinct from (o.max_attempts, o.base_delay, o.timeout, o.start_delay);
$$;
