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
  v_callbacks pgflow.callback[] := pgflow._callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos);
  v_round pgflow.callback[];
  v_recorded pgflow.callback[];
begin
  perform pgflow._check_lengths(
    cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos), cardinality(p_outputs)
  );
  -- Outputs are read by ordinal. Only an array with bounds of its own is copied for it: they can be large.
  if array_ndims(p_outputs) > 1 or array_lower(p_outputs, 1) <> 1 then
    p_outputs := array(select o.output from unnest(p_outputs) as o (output));
  end if;
  perform pgflow.lock_runs(p_run_ids);
  for v_round in select b.round from pgflow._batch_rounds(v_callbacks) b loop
    v_recorded := v_recorded || pgflow._record_completions(pgflow._judge_callbacks(v_round), p_outputs);
  end loop;
  return query select g.ordinal, g.verdict from unnest(pgflow._settle_callbacks(v_recorded)) g order by g.ordinal;
end;
$$;
