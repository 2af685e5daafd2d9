-- The table of completed dependencies of a step: slug -> output. A skipped dependency is absent; {} where none completed.
create or replace function pgflow._step_input(p_flow_slug text, p_run_id uuid, p_step_slug text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(s.step_slug, coalesce(s.output, 'null')), '{}')
    from pgflow.deps d
    join pgflow.step_states s on s.run_id = p_run_id and s.step_slug = any (array[d.dep_slug])
    where d.flow_slug = p_flow_slug and d.step_slug = p_step_slug and s.status = 'completed'
  );
end;
$$;
