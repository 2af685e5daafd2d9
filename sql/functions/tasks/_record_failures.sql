-- Records the failed attempts of a batch whose answer is 'done'. Returns the answers: 'stale' behind the one that ended
-- its step or run. The runs are locked by the caller.
create or replace function pgflow._record_failures(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_messages text[], p_delays float8[], p_permanent boolean[], p_free boolean[],
  p_answers text[]
) returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_effects text[] := pgflow._judge_failures(p_run_ids, p_step_slugs, p_task_indexes, p_answers, p_permanent, p_free);
begin
  perform pgflow._requeue_failed_tasks(p_run_ids, p_step_slugs, p_task_indexes, p_messages, p_delays, v_effects);
  if v_effects && array['fail', 'skip', 'skip-cascade'] then
    perform pgflow._end_exhausted_tasks(p_run_ids, p_step_slugs, p_task_indexes, p_messages, v_effects);
  end if;
  return array(
    select case when a.answer = 'done' and a.effect = 'none' then 'stale' else a.answer end
    from unnest(p_answers, v_effects) with ordinality as a (answer, effect, n) order by a.n
  );
end;
$$;
