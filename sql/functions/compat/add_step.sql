-- add_step(flow_slug, step_slug, deps_slugs, ...) -> the step's row. Compatibility; owner only. The step's queue is
-- that of the default routing. An existing step with the same dependencies is returned unchanged; one with others is
-- refused, as are duplicate dependencies, a map with several, a flow that a worker deployed, and one that has runs.
-- Raises foreign_key_violation for an unknown flow or dependency. Locks: the deployment lock and the flow's alias,
-- exclusively, until commit.
create or replace function pgflow.add_step(
  flow_slug text, step_slug text, deps_slugs text[] default '{}',
  max_attempts int default null, base_delay int default null, timeout int default null, start_delay int default null,
  step_type text default 'single', required_input_pattern jsonb default null, forbidden_input_pattern jsonb default null,
  when_unmet text default 'skip', when_exhausted text default 'fail'
) returns pgflow.steps
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_deps text[] := coalesce(add_step.deps_slugs, '{}');
  v_known_deps text[];
  v_step pgflow.steps;
  v_flow pgflow.flows;
begin
  perform pgflow._lock_deployments();
  select s.* into v_step from pgflow.steps s
  where s.flow_slug = add_step.flow_slug and s.step_slug = add_step.step_slug;
  if found then
    select coalesce(array_agg(d.dep_slug order by d.dep_slug), '{}') into v_known_deps from pgflow.deps d
    where d.flow_slug = add_step.flow_slug and d.step_slug = add_step.step_slug;
    if v_known_deps is distinct from (select coalesce(array_agg(u.dep order by u.dep), '{}') from unnest(v_deps) as u (dep)) then
      raise exception 'step % of flow % exists with other dependencies: [%], not [%]',
        add_step.step_slug, add_step.flow_slug, array_to_string(v_known_deps, ', '), array_to_string(v_deps, ', ')
        using errcode = 'invalid_parameter_value', hint = 'a changed graph needs a new slug';
    end if;
    return v_step;
  end if;
  select f.* into v_flow from pgflow.flows f where f.flow_slug = add_step.flow_slug;
  if v_flow.is_deployed then
    raise exception 'flow % was deployed by a worker: a changed graph needs a new slug', add_step.flow_slug
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  if found then
    perform pgflow._lock_aliases(array[v_flow.flow_alias]);
  end if;
  if exists (select from pgflow.runs r where r.flow_slug = add_step.flow_slug) then
    raise exception 'flow % has runs, which lack the step: a changed graph needs a new slug', add_step.flow_slug
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'if its runs are no longer needed, delete the flow with its runs (pgflow.delete_flow_and_data), and create it again';
  end if;
  return pgflow._insert_step(
    add_step.flow_slug, add_step.step_slug, coalesce(add_step.step_type, 'single'), v_deps, lower(add_step.flow_slug collate "C"),
    add_step.max_attempts, add_step.base_delay, add_step.timeout, add_step.start_delay,
    add_step.required_input_pattern, add_step.forbidden_input_pattern, add_step.when_unmet, add_step.when_exhausted
  );
end;
$$;
