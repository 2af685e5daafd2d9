-- complete_tasks(run_ids, step_slugs, task_indexes, claim_nos, outputs): records finished tasks of any number of steps and runs, in arrays of
-- equal length, and moves their runs on. Answers each position: done | already | stale; the last two change nothing.
-- The result equals the serial order by (run_id, step_index, task_index).
-- An output that is not an array although a map reads it fails its task, step and run for good ([TYPE_VIOLATION]).
-- Locks: runs in order, step states, tasks, then queue rows; until commit.
create or replace function pgflow.complete_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[], p_outputs jsonb[]
) returns table (ordinal int, answer text)
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
  v_rounds int[];
  v_answers text[];
begin
  perform pgflow.lock_runs(p_run_ids);
  v_rounds := pgflow._batch_rounds(p_run_ids, p_step_slugs);
  v_answers := array_fill('stale'::text, array[coalesce(cardinality(p_run_ids), 0)]);
  for v_round in 1 .. (select coalesce(max(r.n), 0) from unnest(v_rounds) as r (n)) loop
    v_answers := pgflow._complete_round(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos, p_outputs, v_rounds, v_round, v_answers);
  end loop;
  return query select a.n::int, a.answer from unnest(v_answers) with ordinality as a (answer, n) order by a.n;
end;
$$;
