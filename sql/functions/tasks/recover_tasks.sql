-- recover_tasks(worker_id): requeues the stalled tasks of the worker's queue: those past their effective timeout + 30 s
-- that no live worker lists, and those whose worker is dead (before that time, only while this worker may judge that).
-- Costs no attempt more and asks for none: a requeue ignores max_attempts. After 3 requeues by timeout or 10 by dead
-- workers the next recovery fails the task for good and its step's when_exhausted applies. Then it repairs the queue's
-- messages: active tasks without one get a new one, and those hidden for longer than any rule explains are shown.
-- Returns each task that it moved with the reason (timeout | dead_worker) and the outcome (requeued | failed), and each
-- whose message it repaired (no_message, resent | hidden, shown; without a task if there is none); nothing of a queue
-- whose recovery is under way. Called every 10 s. Tasks are found by their messages: hidden ones, and those that became
-- visible since the last round, even if nobody has polled meanwhile; and all in turn, call by call (_walk_active_tasks). It
-- does the same for as many as 10 other queues that nobody has recovered for 60 s (_recover_other_queues).
-- Locks: that of each queue's recovery, if it is free (_lock_recovery); runs in order, those that are locked left for
-- the next time; then as fail_tasks; queue rows.
create or replace function pgflow.recover_tasks(p_worker_id uuid)
returns table (run_id uuid, step_slug text, task_index int, reason text, outcome text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_name text := (select w.queue_name from pgflow.workers w where w.worker_id = p_worker_id);
  v_is_clock_steady boolean := pgflow._is_clock_steady(p_worker_id);
  v_may_judge_workers boolean := pgflow._may_judge_workers(p_worker_id);
begin
  return query
    select t.* from unnest(pgflow._lock_recovery(array[v_queue_name])) as q (queue_name)
    cross join lateral pgflow._recover_queue(q.queue_name, pgflow._unrecovered_since(q.queue_name), v_is_clock_steady, v_may_judge_workers) t;
  return query select t.* from pgflow._recover_other_queues(v_queue_name, v_is_clock_steady, v_may_judge_workers) t;
end;
$$;
