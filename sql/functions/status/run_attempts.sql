-- run_attempts(run_id) -> the most attempts of each step's tasks in a run, and the first task with an error that did
-- not complete, for callers that know the run's id.
create or replace function pgflow.run_attempts(p_run_id uuid) returns table (step_slug text, attempts_count int, failed_task_index int, error_message text)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select t.step_slug, max(t.attempts_count),
    min(t.task_index) filter (where t.error_message is not null and t.status <> 'completed'),
    (array_agg(t.error_message order by t.task_index) filter (where t.error_message is not null and t.status <> 'completed'))[1]
  from pgflow.step_tasks t
  where t.run_id = p_run_id
  group by t.step_slug;
$$;
