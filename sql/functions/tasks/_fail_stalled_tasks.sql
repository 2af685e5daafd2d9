-- Fails for good the stalled tasks whose outcome is 'failed', through the path of every failure, so that their runs
-- end. The runs are locked by the caller.
create or replace function pgflow._fail_stalled_tasks(p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_outcomes text[])
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_message text := 'permanently stalled: the task has used all its retries after stalls';
  v_answers text[] := array(select case u.outcome when 'failed' then 'done' else 'stale' end from unnest(p_outcomes) with ordinality as u (outcome, n)
    order by u.n);
  v_effects text[] := pgflow._judge_failures(
    p_run_ids, p_step_slugs, p_task_indexes, v_answers,
    array_fill(true, array[cardinality(p_run_ids)]), array_fill(false, array[cardinality(p_run_ids)])
  );
begin
  update pgflow.step_tasks t
  set permanently_stalled_at = now()
  from unnest(p_run_ids, p_step_slugs, p_task_indexes, v_effects) as g (run_id, step_slug, task_index, effect)
  where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.effect <> 'none';
  perform pgflow._end_exhausted_tasks(
    p_run_ids, p_step_slugs, p_task_indexes, array_fill(v_message, array[cardinality(p_run_ids)]), v_effects
  );
end;
$$;
