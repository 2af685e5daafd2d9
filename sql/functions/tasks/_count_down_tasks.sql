-- Subtracts the tasks of a batch that are done from the counters of their steps: those completed, whose verdict is
-- 'done', and the elements that failed for good and give null, whose verdict is 'null'. Completes each step that has
-- none left: its output is its task's, or for a map the array of its tasks' outputs by task_index. Returns the steps
-- that were completed.
create or replace function pgflow._count_down_tasks(p_callbacks pgflow.callback[]) returns pgflow.step_key[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_key[];
begin
  with counted as (
    update pgflow.step_states s
    set remaining_tasks = s.remaining_tasks - c.tasks, failed_tasks = s.failed_tasks + c.failed,
      status = case when s.remaining_tasks = c.tasks then 'completed' else s.status end,
      completed_at = case when s.remaining_tasks = c.tasks then greatest(statement_timestamp(), s.started_at) end,
      output = case
        when s.remaining_tasks > c.tasks then null
        when d.step_type = 'single' then (
          select t.output from pgflow.step_tasks t where t.run_id = s.run_id and t.step_slug = s.step_slug and t.task_index = 0
        )
        else (
          select jsonb_agg(t.output order by t.task_index)
          from pgflow.step_tasks t where t.run_id = s.run_id and t.step_slug = s.step_slug
        )
      end
    from (
      select g.run_id, g.step_slug, count(*) as tasks, count(*) filter (where g.verdict = 'null') as failed
      from unnest(p_callbacks) g
      where g.verdict in ('done', 'null')
      group by g.run_id, g.step_slug
    ) c
    join pgflow.runs r on r.run_id = any (array[c.run_id])
    cross join lateral (
      select d.step_type from pgflow.steps d where d.flow_slug = r.flow_slug and d.step_slug = c.step_slug limit 1
    ) d
    where s.run_id = any (array[c.run_id]) and s.step_slug = c.step_slug
    returning s.run_id, s.step_slug, s.status
  )
  select array_agg((c.run_id, c.step_slug)::pgflow.step_key) into v_steps from counted c where c.status = 'completed';
  return v_steps;
end;
$$;
