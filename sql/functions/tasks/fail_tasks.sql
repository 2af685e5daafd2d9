-- fail_tasks(run_ids, step_slugs, task_indexes, claim_nos, messages, delays, permanent, free): records failed attempts,
-- in arrays of equal length. While attempts remain the task is queued again after its backoff, or after its delay in
-- seconds if one is given; otherwise, or if it is permanent, the step's when_exhausted applies. A free entry is put
-- back for its delay and costs no attempt (luaflow.snooze).
-- Answers each position: done | already | stale; the last two change nothing; retry_delay: the seconds until the next
-- attempt of a task that is queued again. The result equals the serial order by (run_id, step_index, task_index): what
-- comes behind the entry that ended its step or run is stale.
-- Locks: runs in order, step states, tasks, then queue rows; until commit.
create or replace function pgflow.fail_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[],
  p_messages text[], p_delays float8[], p_permanent boolean[], p_free boolean[]
) returns table (ordinal int, answer text, retry_delay float8)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_callbacks pgflow.callback[] := pgflow._callbacks(
    p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos, p_messages, p_delays, p_permanent, p_free
  );
  v_round pgflow.callback[];
  v_recorded pgflow.callback[];
begin
  perform pgflow._check_lengths(
    cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos),
    cardinality(p_messages), cardinality(p_delays), cardinality(p_permanent), cardinality(p_free)
  );
  perform pgflow.lock_runs(p_run_ids);
  for v_round in select b.round from pgflow._batch_rounds(v_callbacks) b loop
    v_recorded := v_recorded || pgflow._record_failures(pgflow._judge_callbacks(v_round));
  end loop;
  return query
    select g.ordinal, g.verdict, case
      when g.verdict = 'done' and t.status = 'queued'
        then pgflow._retry_delay(g.delay, coalesce(d.opt_base_delay, f.opt_base_delay), t.attempts_count)
    end
    from unnest(pgflow._settle_callbacks(v_recorded)) g
    left join pgflow.step_tasks t on t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
    left join pgflow.steps d on d.flow_slug = any (array[t.flow_slug]) and d.step_slug = t.step_slug
    left join pgflow.flows f on f.flow_slug = any (array[t.flow_slug])
    order by g.ordinal;
end;
$$;
