-- recover_tasks(worker_id): puts back the stalled tasks of the worker's queue: those past their effective timeout + 30 s, and those whose worker is
-- dead (only while this worker may judge that). Costs no attempt more and asks for none: a requeue ignores max_attempts. After 3 requeues by timeout or 10 by dead workers
-- the next recovery fails the task for good and its step's when_exhausted applies.
-- Returns each task that it moved with the reason (timeout | dead_worker) and the outcome (requeued | failed); nothing while another recovery of the
-- queue is under way. Called every 10 s.
-- Locks: a try-lock on the queue's recovery; runs in order, those that are locked left for the next time; then as fail_tasks.
create or replace function pgflow.recover_tasks(p_worker_id uuid)
returns table (run_id uuid, step_slug text, task_index int, reason text, outcome text)
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_indexonlyscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_queue_name text := (select w.queue_name from pgflow.workers w where w.worker_id = p_worker_id);
  v_may_judge boolean := pgflow._may_judge_workers(p_worker_id);
  v_run_ids uuid[];
  v_step_slugs text[];
  v_task_indexes int[];
  v_reasons text[];
  v_outcomes text[];
begin
  if v_queue_name is null or not pg_try_advisory_xact_lock(hashtextextended('pgflow.recovery:' || v_queue_name, 0)) then
    return;
  end if;
  v_run_ids := array(select distinct t.run_id from pgflow._tasks_in_flight(v_queue_name) t where pgflow._stall_reason(t, v_may_judge) is not null);
  if v_run_ids = '{}' then
    return;
  end if;
  v_run_ids := array(
    select r.run_id from pgflow.runs r
    where r.run_id = any (v_run_ids) and r.status = 'started' order by r.run_id for update skip locked
  );
  select array_agg(t.run_id), array_agg(t.step_slug), array_agg(t.task_index), array_agg(j.reason),
    array_agg(case when t.requeued_count >= 3 or t.requeued_dead_count >= 10 then 'failed' else 'requeued' end)
  into v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes
  from pgflow._tasks_in_flight(v_queue_name) t
  cross join lateral (select pgflow._stall_reason(t, v_may_judge) as reason) j
  join pgflow.step_states s on s.run_id = any (array[t.run_id]) and s.step_slug = t.step_slug
  where t.run_id = any (v_run_ids) and j.reason is not null and s.status = 'started';

  perform pgflow._requeue_stalled_tasks(v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes);
  if 'failed' = any (v_outcomes) then
    perform pgflow._fail_stalled_tasks(v_run_ids, v_step_slugs, v_task_indexes, v_outcomes);
  end if;
  return query
    select m.run_id, m.step_slug, m.task_index, m.reason, m.outcome
    from unnest(v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes) as m (run_id, step_slug, task_index, reason, outcome);
end;
$$;
