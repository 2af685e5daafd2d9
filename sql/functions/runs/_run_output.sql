-- The output of a run whose steps have all ended: an object of the completed leaf steps' outputs; null where none completed.
create or replace function pgflow._run_output(p_run_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_object_agg(s.step_slug, coalesce(s.output, 'null'))
    from pgflow.step_states s
    where s.run_id = p_run_id and s.status = 'completed'
    and not exists (select from pgflow.deps d where d.flow_slug = any (array[s.flow_slug]) and d.dep_slug = s.step_slug)
  );
end;
$$;
