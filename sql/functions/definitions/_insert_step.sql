-- Stores one step behind the flow's last one, with its dependencies. A kind and a transaction that are null are not
-- known. The deployment lock is held by the caller.
create or replace function pgflow._insert_step(
  p_flow_slug text, p_step_slug text, p_step_type text, p_deps text[], p_queue_name text,
  p_max_attempts int, p_base_delay int, p_timeout int, p_start_delay int,
  p_required_input_pattern jsonb, p_forbidden_input_pattern jsonb, p_when_unmet text, p_when_exhausted text,
  p_kind text default null, p_is_transactional boolean default null, p_when_element_exhausted text default null
) returns pgflow.steps
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_step pgflow.steps;
  v_twice text := (select min(u.dep) from (select dep from unnest(p_deps) as d (dep) group by dep having count(*) > 1) u);
begin
  if p_step_type = 'map' and cardinality(p_deps) > 1 then
    raise exception 'Map step "%" can have at most one dependency, but % were provided: %',
      p_step_slug, cardinality(p_deps), array_to_string(p_deps, ', ');
  end if;
  if v_twice is not null then
    raise exception 'step "%" names its dependency "%" more than once', p_step_slug, v_twice
      using errcode = 'invalid_parameter_value';
  end if;
  insert into pgflow.steps (
    flow_slug, step_slug, step_type, step_index, deps_count, queue_name, opt_max_attempts, opt_base_delay, opt_timeout,
    opt_start_delay, required_input_pattern, forbidden_input_pattern, when_unmet, when_exhausted, kind, is_transactional,
    when_element_exhausted
  )
  values (
    p_flow_slug, p_step_slug, p_step_type,
    coalesce((select max(s.step_index) + 1 from pgflow.steps s where s.flow_slug = p_flow_slug), 0),
    cardinality(p_deps), p_queue_name, p_max_attempts, p_base_delay, p_timeout, p_start_delay,
    p_required_input_pattern, p_forbidden_input_pattern, coalesce(p_when_unmet, 'skip'), coalesce(p_when_exhausted, 'fail'),
    p_kind, p_is_transactional, coalesce(p_when_element_exhausted, 'fail')
  )
  returning * into v_step;
  insert into pgflow.deps (flow_slug, dep_slug, step_slug)
  select p_flow_slug, d.dep, p_step_slug from unnest(p_deps) as d (dep);
  return v_step;
end;
$$;
