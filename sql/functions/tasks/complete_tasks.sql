-- complete_tasks(run_ids, step_slugs, task_indexes, claim_nos, outputs): records finished tasks of any number of steps
-- and runs, in arrays of equal length, and moves their runs on. Answers each position: done | already | stale; the last
-- two change nothing. The result equals the serial order by (run_id, step_index, task_index). An output that is not an
-- array although a map reads it fails its task, step and run for good ([TYPE_VIOLATION]).
-- Locks: runs in order, step states, tasks, then queue rows; until commit.
create or replace function pgflow.complete_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[], p_outputs jsonb[]
) returns table (ordinal int, answer text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_rounds int[];
  v_answers text[];
begin
  perform pgflow._check_lengths(
    cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos), cardinality(p_outputs)
  );
  perform pgflow.lock_runs(p_run_ids);
  v_answers := pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos);
  v_rounds := pgflow._batch_rounds(p_run_ids, p_step_slugs);
  if v_rounds is null then
    v_answers := pgflow._record_completions(p_run_ids, p_step_slugs, p_task_indexes, p_outputs, v_answers);
  else
    for v_round in 1 .. (select max(r.n) from unnest(v_rounds) as r (n)) loop
      v_answers := pgflow._merge_round(v_round, v_rounds, v_answers, pgflow._record_completions(
        p_run_ids, p_step_slugs, p_task_indexes, p_outputs,
        pgflow._pick_round(v_round, v_rounds, pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos))
      ));
    end loop;
  end if;
  v_answers := pgflow._settle_duplicates(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos, array_replace(v_answers, 'violation', 'done'));
  return query select a.n::int, a.answer from unnest(v_answers) with ordinality as a (answer, n) order by a.n;
end;
$$;
