-- Returns the stored shape of a flow: {"steps": [...]} in the order of step_index; an unknown flow has no steps.
-- Options are left out, and so are the kind and the transaction of a step if they are not known, and the kind of a map,
-- which is its type. So is a when_element_exhausted that is the default, which pgflow's shapes do not know.
create or replace function pgflow._get_flow_shape(p_flow_slug text) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('steps', coalesce(jsonb_agg(jsonb_build_object(
    'slug', s.step_slug,
    'stepType', s.step_type,
    'dependencies', (
      select coalesce(jsonb_agg(d.dep_slug order by d.dep_slug collate "C"), '[]')
      from pgflow.deps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug
    ),
    'whenUnmet', s.when_unmet,
    'whenExhausted', s.when_exhausted,
    'requiredInputPattern', pgflow._pattern_shape(s.required_input_pattern),
    'forbiddenInputPattern', pgflow._pattern_shape(s.forbidden_input_pattern)
  ) || jsonb_strip_nulls(jsonb_build_object(
    'kind', nullif(s.kind, 'map'), 'transaction', s.is_transactional, 'whenElementExhausted', nullif(s.when_element_exhausted, 'fail')
  )) order by s.step_index), '[]'))
  from pgflow.steps s
  where s.flow_slug = p_flow_slug;
$$;
