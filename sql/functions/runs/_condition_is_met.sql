-- Whether a document satisfies a step's condition: it contains the required pattern and does not contain the forbidden one.
create or replace function pgflow._condition_is_met(p_step pgflow.steps, p_document jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  select (p_step.required_input_pattern is null or p_document @> p_step.required_input_pattern)
    and (p_step.forbidden_input_pattern is null or not p_document @> p_step.forbidden_input_pattern);
$$;
