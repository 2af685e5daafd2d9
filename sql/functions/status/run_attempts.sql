-- run_attempts(run_id) -> the most attempts of each step's tasks in a run, and the error of the first task that did not
-- complete, for callers that know the run's id. failed_task: that task of a map, with its element (_task_label).
create or replace function pgflow.run_attempts(p_run_id uuid) returns table (step_slug text, attempts_count int, failed_task text, error_message text)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select a.step_slug, a.attempts_count, case when t.input is not null then pgflow._task_label(t.task_index, t.input) end, t.error_message
  from (
    select t.step_slug, max(t.attempts_count) as attempts_count,
      min(t.task_index) filter (where t.error_message is not null and t.status <> 'completed') as failed_task_index
    from pgflow.step_tasks t
    where t.run_id = p_run_id
    group by t.step_slug
  ) a
  left join pgflow.step_tasks t on t.run_id = p_run_id and t.step_slug = a.step_slug and t.task_index = a.failed_task_index;
$$;
