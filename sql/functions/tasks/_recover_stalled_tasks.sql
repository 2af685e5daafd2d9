-- Requeues those of the given tasks that are stalled, or fails them for good: 'failed' after 3 requeues by timeout or
-- 10 by dead workers, else 'requeued'. Sessions of their transactions are ended before. Returns each of them with the
-- reason and that outcome. The tables of their queues exist.
-- Locks: runs in order, those that are locked left for the next time; then as fail_tasks.
create or replace function pgflow._recover_stalled_tasks(p_tasks pgflow.task_key[], p_is_clock_steady boolean, p_may_judge_workers boolean)
returns setof pgflow.stalled_task
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
  v_stalled pgflow.stalled_task[];
begin
  if p_tasks = '{}' then
    return;
  end if;
  perform pgflow._end_stalled_transactions(p_tasks, p_is_clock_steady, p_may_judge_workers);
  v_run_ids := pgflow._lock_free_runs(array(select g.run_id from unnest(p_tasks) g));
  v_stalled := array(
    select (
      t.run_id, t.step_slug, t.task_index, j.reason,
      case when t.requeued_count >= 3 or t.requeued_dead_count >= 10 then 'failed' else 'requeued' end
    )::pgflow.stalled_task
    from unnest(p_tasks) g
    cross join lateral (
      select t.* from pgflow.step_tasks t where t.run_id = g.run_id and t.step_slug = g.step_slug and t.task_index = g.task_index limit 1
    ) t
    cross join lateral (select s.status from pgflow.step_states s where s.run_id = g.run_id and s.step_slug = g.step_slug limit 1) s
    cross join lateral (select pgflow._stall_reason(t, p_is_clock_steady, p_may_judge_workers) as reason) j
    where (t.run_id in (select u.run_id from unnest(v_run_ids) as u (run_id))) is true -- looked up by hash, even where joins are not
      and t.status = 'started' and s.status = 'started' and j.reason is not null
  );
  perform pgflow._requeue_stalled_tasks(v_stalled);
  if exists (select from unnest(v_stalled) m where m.outcome = 'failed') then
    perform pgflow._fail_stalled_tasks(v_stalled);
  end if;
  return query select m.* from unnest(v_stalled) m;
end;
$$;
