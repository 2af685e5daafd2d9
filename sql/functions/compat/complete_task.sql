-- complete_task(run_id, step_slug, task_index, output) -> the task's row; no row for an unknown task. Compatibility,
-- without a fence: it speaks for whatever claim is current. A late or duplicate call changes nothing. Locks as
-- complete_tasks.
create or replace function pgflow.complete_task(run_id uuid, step_slug text, task_index int, output jsonb)
returns setof pgflow.step_tasks
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgflow.lock_runs(array[complete_task.run_id]);
  perform pgflow.complete_tasks(
    array[t.run_id], array[t.step_slug], array[t.task_index], array[t.claim_no], array[complete_task.output]
  )
  from pgflow.step_tasks t
  where t.run_id = complete_task.run_id and t.step_slug = complete_task.step_slug and t.task_index = complete_task.task_index
    and t.status = 'started';
  return query
    select t.* from pgflow.step_tasks t
    where t.run_id = complete_task.run_id and t.step_slug = complete_task.step_slug and t.task_index = complete_task.task_index;
end;
$$;
