-- Requeues those of the given tasks that are stalled, or fails them for good: 'failed' after 3 requeues by timeout or
-- 10 by dead workers, else 'requeued'. Sessions of their transactions are ended before. Returns each of them with the
-- reason and that outcome. The tables of their queues exist.
-- Locks: runs in order, those that are locked left for the next time; then as fail_tasks.
create or replace function pgflow._recover_stalled_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_is_clock_steady boolean, p_may_judge_workers boolean
) returns table (run_id uuid, step_slug text, task_index int, reason text, outcome text)
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
  if p_run_ids is null then
    return;
  end if;
  perform pgflow._end_stalled_transactions(p_run_ids, p_step_slugs, p_task_indexes, p_is_clock_steady, p_may_judge_workers);
  v_run_ids := array(
    select r.run_id from pgflow.runs r
    where r.run_id = any (p_run_ids) and r.status = 'started' order by r.run_id for update skip locked
  );
  select array_agg(t.run_id), array_agg(t.step_slug), array_agg(t.task_index), array_agg(j.reason),
    array_agg(case when t.requeued_count >= 3 or t.requeued_dead_count >= 10 then 'failed' else 'requeued' end)
  into v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes
  from unnest(p_run_ids, p_step_slugs, p_task_indexes) as g (run_id, step_slug, task_index)
  cross join lateral (
    select t.* from pgflow.step_tasks t where t.run_id = g.run_id and t.step_slug = g.step_slug and t.task_index = g.task_index limit 1
  ) t
  cross join lateral (select s.status from pgflow.step_states s where s.run_id = g.run_id and s.step_slug = g.step_slug limit 1) s
  cross join lateral (select pgflow._stall_reason(t, p_is_clock_steady, p_may_judge_workers) as reason) j
  where (t.run_id in (select u.run_id from unnest(v_run_ids) as u (run_id))) is true -- looked up by hash, even where joins are not
    and t.status = 'started' and s.status = 'started' and j.reason is not null;

  perform pgflow._requeue_stalled_tasks(v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes);
  if 'failed' = any (v_outcomes) then
    perform pgflow._fail_stalled_tasks(v_run_ids, v_step_slugs, v_task_indexes, v_outcomes);
  end if;
  return query
    select m.run_id, m.step_slug, m.task_index, m.reason, m.outcome
    from unnest(v_run_ids, v_step_slugs, v_task_indexes, v_reasons, v_outcomes) as m (run_id, step_slug, task_index, reason, outcome);
end;
$$;
