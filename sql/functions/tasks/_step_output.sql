-- The output of a step whose tasks are all completed: its task's, or for a map the array of its tasks' by task_index.
create or replace function pgflow._step_output(p_flow_slug text, p_run_id uuid, p_step_slug text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if (select d.step_type from pgflow.steps d where d.flow_slug = p_flow_slug and d.step_slug = p_step_slug) = 'single' then
    return (select t.output from pgflow.step_tasks t where t.run_id = p_run_id and t.step_slug = p_step_slug and t.task_index = 0);
  end if;
  return (
    select jsonb_agg(t.output order by t.task_index)
    from pgflow.step_tasks t
    where t.run_id = p_run_id and t.step_slug = p_step_slug
  );
end;
$$;
