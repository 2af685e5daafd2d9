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
  v_rounds int[];
  v_answers text[];
begin
  perform pgflow._check_lengths(
    cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos),
    cardinality(p_messages), cardinality(p_delays), cardinality(p_permanent), cardinality(p_free)
  );
  perform pgflow.lock_runs(p_run_ids);
  v_answers := pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos);
  v_rounds := pgflow._batch_rounds(p_run_ids, p_step_slugs);
  if v_rounds is null then
    v_answers := pgflow._record_failures(p_run_ids, p_step_slugs, p_task_indexes, p_messages, p_delays, p_permanent, p_free, v_answers);
  else
    for v_round in 1 .. (select max(r.n) from unnest(v_rounds) as r (n)) loop
      v_answers := pgflow._merge_round(v_round, v_rounds, v_answers, pgflow._record_failures(
        p_run_ids, p_step_slugs, p_task_indexes, p_messages, p_delays, p_permanent, p_free,
        pgflow._pick_round(v_round, v_rounds, pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos))
      ));
    end loop;
  end if;
  v_answers := pgflow._settle_duplicates(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos, v_answers);
  return query
    select a.n::int, a.answer, case
      when a.answer = 'done' and t.status = 'queued'
        then pgflow._retry_delay(a.delay, coalesce(d.opt_base_delay, f.opt_base_delay), t.attempts_count)
    end
    from unnest(v_answers, p_run_ids, p_step_slugs, p_task_indexes, p_delays) with ordinality
      as a (answer, run_id, step_slug, task_index, delay, n)
    left join pgflow.step_tasks t on t.run_id = any (array[a.run_id]) and t.step_slug = a.step_slug and t.task_index = a.task_index
    left join pgflow.steps d on d.flow_slug = any (array[t.flow_slug]) and d.step_slug = t.step_slug
    left join pgflow.flows f on f.flow_slug = any (array[t.flow_slug])
    order by a.n;
end;
$$;
