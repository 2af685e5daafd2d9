-- Returns a condition's pattern as it stands in a shape: {"defined": false}, or {"defined": true, "value": ...}.
create or replace function pgflow._pattern_shape(p_pattern jsonb) returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select case
    when p_pattern is null then '{"defined": false}'::jsonb
    else jsonb_build_object('defined', true, 'value', p_pattern)
  end;
$$;
