-- Puts back the stalled tasks of the given queues, or fails them for good: 'failed' after 3 requeues by timeout or 10 by dead workers, else 'requeued'.
-- Sessions of their transactions are ended before. Returns each task with the reason and that outcome. The queues' tables exist, and the caller has the try-lock of each one's recovery.
-- Locks: runs in order, those that are locked left for the next time; then as fail_tasks.
create or replace function pgflow._recover_queues(p_queue_names text[], p_may_judge_workers boolean)
returns table (run_id uuid, step_slug text, task_index int, reason text, outcome text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_run_ids uuid[];
  v_step_slugs text[];
  v_task_indexes int[];
  v_reasons text[];
  v_outcomes text[];
begin
  v_run_ids := array(
    select distinct t.run_id from unnest(p_queue_names) as q (queue_name)
    cross join pgflow._tasks_in_flight(q.queue_name) t
    where pgflow._stall_reason(t, p_may_judge_workers) is not null
  );
  if v_run_ids = '{}' then
    return;
  end if;
  perform pgflow._end_stalled_transactions(p_queue_names, p_may_judge_workers);
  v_run_ids := array(
    select r.run_id from pgflow.runs r
    where r.run_id = any (v_run_ids) and r.status = 'started' order by r.run_id for update skip locked
  );
  select array_agg(t.run_id), array_agg(t.step_slug), array_agg(t.task_index), array_agg(j.reason),
    array_agg(case when t.requeued_count >= 3 or t.requeued_dead_count >= 10 then 'failed' else 'requeued' end)
  into v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes
  from unnest(p_queue_names) as q (queue_name)
  cross join pgflow._tasks_in_flight(q.queue_name) t
  cross join lateral (select pgflow._stall_reason(t, p_may_judge_workers) as reason) j
  join pgflow.step_states s on s.run_id = any (array[t.run_id]) and s.step_slug = t.step_slug
  where (t.run_id in (select u.run_id from unnest(v_run_ids) as u (run_id))) is true -- looked up by hash, even where joins are not
    and j.reason is not null and s.status = 'started';

  perform pgflow._requeue_stalled_tasks(v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes);
  if 'failed' = any (v_outcomes) then
    perform pgflow._fail_stalled_tasks(v_run_ids, v_step_slugs, v_task_indexes, v_outcomes);
  end if;
  return query
    select m.run_id, m.step_slug, m.task_index, m.reason, m.outcome
    from unnest(v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes) as m (run_id, step_slug, task_index, reason, outcome);
end;
$$;
