-- The input of a step with dependencies: the table of those that completed, slug -> output.
create or replace function pgflow._dependency_table(p_run_id uuid, p_step_slug text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(jsonb_object_agg(s.step_slug, coalesce(s.output, 'null')), '{}')
    from pgflow.runs r
    join pgflow.deps d on d.flow_slug = any (array[r.flow_slug]) and d.step_slug = p_step_slug
    cross join lateral (
      select s.step_slug, s.output from pgflow.step_states s
      where s.run_id = p_run_id and s.step_slug = d.dep_slug and s.status = 'completed' limit 1
    ) s
    where r.run_id = p_run_id
  );
end;
$$;
