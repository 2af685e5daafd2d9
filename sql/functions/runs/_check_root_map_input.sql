-- Raises if a flow has maps over the run's input and that input is not an array.
create or replace function pgflow._check_root_map_input(p_flow_slug text, p_input jsonb) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if coalesce(jsonb_typeof(p_input), 'null') <> 'array' and exists (
    select from pgflow.steps s where s.flow_slug = p_flow_slug and s.step_type = 'map' and s.deps_count = 0
  ) then
    if p_input is null then
      raise exception 'Flow % has root map steps but input is NULL', p_flow_slug
        using errcode = 'invalid_parameter_value', hint = 'a root map has a task for each element: give it an array, such as [1, 2, 3]';
    end if;
    raise exception 'Flow % has root map steps but input is not an array (got %)', p_flow_slug, jsonb_typeof(p_input)
      using errcode = 'invalid_parameter_value', hint = 'a root map has a task for each element: give it an array, such as [1, 2, 3]';
  end if;
end;
$$;
