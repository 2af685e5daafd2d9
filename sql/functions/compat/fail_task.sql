-- fail_task(run_id, step_slug, task_index, error_message) -> the task's row; no row for an unknown task. Compatibility,
-- without a fence: it speaks for whatever claim is current. A late or duplicate call changes nothing, no retry delay
-- either. Locks as fail_tasks.
create or replace function pgflow.fail_task(run_id uuid, step_slug text, task_index int, error_message text)
returns setof pgflow.step_tasks
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgflow.lock_runs(array[fail_task.run_id]);
  perform pgflow.fail_tasks(
    array[t.run_id], array[t.step_slug], array[t.task_index], array[t.claim_no],
    array[fail_task.error_message], array[null::float8], array[false], array[false]
  )
  from pgflow.step_tasks t
  where t.run_id = fail_task.run_id and t.step_slug = fail_task.step_slug and t.task_index = fail_task.task_index
    and t.status = 'started';
  return query
    select t.* from pgflow.step_tasks t
    where t.run_id = fail_task.run_id and t.step_slug = fail_task.step_slug and t.task_index = fail_task.task_index;
end;
$$;
