-- Why a started task counts as stalled: 'timeout' or 'dead_worker'; null where it does not.
create or replace function pgflow._stall_reason(p_task pgflow.step_tasks, p_may_judge_workers boolean) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when pgflow._recoverable_at(p_task.started_at, p_task.claimed_timeout) < clock_timestamp() then 'timeout'
    when p_may_judge_workers and pgflow._is_worker_dead(p_task.last_worker_id) then 'dead_worker'
  end;
end;
$$;
