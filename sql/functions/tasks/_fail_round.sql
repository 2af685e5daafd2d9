-- Records one round of a batch's failures (see _batch_rounds). Returns the batch's answers, those of this round put in. The runs are locked by the caller.
create or replace function pgflow._fail_round(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[],
  p_messages text[], p_delays float8[], p_permanent boolean[], p_free boolean[], p_rounds int[], p_round int, p_answers text[]
) returns text[]
language plpgsql volatile
set search_path = ''
as $$
declare
  v_found text[] := pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos);
  v_effects text[];
begin
  v_found := array(
    select case when g.round = p_round then g.found else 'elsewhere' end
    from unnest(p_rounds, v_found) with ordinality as g (round, found, n) order by g.n
  );
  v_effects := pgflow._judge_failures(p_run_ids, p_step_slugs, p_task_indexes, v_found, p_permanent, p_free);
  perform pgflow._requeue_failed_tasks(p_run_ids, p_step_slugs, p_task_indexes, p_messages, p_delays, v_effects);
  if v_effects && array['fail', 'skip', 'skip-cascade'] then
    perform pgflow._end_exhausted_tasks(p_run_ids, p_step_slugs, p_task_indexes, p_messages, v_effects);
  end if;
  return array(
    select case when a.found = 'elsewhere' then a.given when a.found = 'done' and a.effect = 'none' then 'stale' else a.found end
    from unnest(v_found, v_effects, p_answers) with ordinality as a (found, effect, given, n) order by a.n
  );
end;
$$;
