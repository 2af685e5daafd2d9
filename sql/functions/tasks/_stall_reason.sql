-- Returns why a started task counts as stalled: 'dead_worker' or 'timeout'; null if it does not. A task that is past
-- its time but that its live worker listed in its last heartbeat is not, nor is one whose live worker has not sent a
-- heartbeat since. A task past its time needs nobody who may judge workers; that its worker is dead is the reason even
-- so, unless the question is of timeouts alone (p_may_judge_workers is null). Right after a start of the server every
-- worker counts as alive that was not stopped: it may not have had the time to send one.
create or replace function pgflow._stall_reason(p_task pgflow.step_tasks, p_is_clock_steady boolean, p_may_judge_workers boolean) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_recoverable_at timestamptz := pgflow._recoverable_at(p_task.started_at, p_task.claimed_timeout);
begin
  return case
    when p_is_clock_steady and v_recoverable_at < clock_timestamp() and not exists (
      select from pgflow.workers w
      where w.worker_id = p_task.last_worker_id
        and (pgflow._is_alive(w) or w.stopped_at is null and w.last_heartbeat_at < pg_postmaster_start_time() and not pgflow._has_server_settled())
        and (
        w.last_heartbeat_at <= v_recoverable_at
        or pgflow._claim_key(p_task.run_id, p_task.step_slug, p_task.task_index, p_task.claim_no) = any (w.overdue_tasks)
      )
    ) then case when p_may_judge_workers is not null and pgflow._is_worker_dead(p_task.last_worker_id) then 'dead_worker' else 'timeout' end
    when p_may_judge_workers and pgflow._is_worker_dead(p_task.last_worker_id) then 'dead_worker'
  end;
end;
$$;
