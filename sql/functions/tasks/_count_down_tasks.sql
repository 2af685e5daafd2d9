-- Counts completed tasks off their steps and completes each step that has none left: its output is its task's, or for a map the array of
-- its tasks' outputs by task_index. Returns the steps that were completed.
create or replace function pgflow._count_down_tasks(p_run_ids uuid[], p_step_slugs text[], p_answers text[])
returns table (run_id uuid, step_slug text)
language plpgsql volatile
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    with counted as (
      update pgflow.step_states s
      set remaining_tasks = s.remaining_tasks - c.tasks,
        status = case when s.remaining_tasks = c.tasks then 'completed' else s.status end,
        completed_at = case when s.remaining_tasks = c.tasks then now() end,
        output = case when s.remaining_tasks = c.tasks then pgflow._step_output(s.flow_slug, s.run_id, s.step_slug) end
      from (
        select g.run_id, g.step_slug, count(*) as tasks
        from unnest(p_run_ids, p_step_slugs, p_answers) as g (run_id, step_slug, answer)
        where g.answer = 'done'
        group by g.run_id, g.step_slug
      ) c
      where s.run_id = any (array[c.run_id]) and s.step_slug = c.step_slug
      returning s.run_id, s.step_slug, s.status
    )
    select c.run_id, c.step_slug from counted c where c.status = 'completed';
end;
$$;
