-- release_tasks(run_ids, step_slugs, task_indexes, claim_nos, suspicion, lost_transactions, delays): puts claimed tasks
-- back. Costs no attempt and stores no message; so that this has a bound, it is counted on the task: by how much the
-- end of its executor made it more suspect, and whether its transaction was lost. Visible at once, or after its delay
-- in seconds (24 h at most). Each of the last three may be null, and so may what is in them.
-- Answers each position: done | already | stale; the last two change nothing. A second release of one claim is stale.
-- Locks: runs in order, tasks, then queue rows; until commit.
create or replace function pgflow.release_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[],
  p_suspicion int[] default null, p_lost_transactions boolean[] default null, p_delays float8[] default null
) returns table (ordinal int, answer text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform pgflow._check_lengths(
    cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos),
    coalesce(cardinality(p_suspicion), cardinality(p_run_ids)), coalesce(cardinality(p_lost_transactions), cardinality(p_run_ids)),
    coalesce(cardinality(p_delays), cardinality(p_run_ids))
  );
  return query
    select g.ordinal, case g.verdict when 'duplicate' then 'stale' else g.verdict end
    from unnest(pgflow._release_tasks(
      pgflow._callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos),
      array(select s.suspicion from unnest(p_suspicion) as s (suspicion)), array(select l.lost from unnest(p_lost_transactions) as l (lost)),
      array(select d.delay from unnest(p_delays) as d (delay)) -- by ordinal, whatever their bounds
    )) g
    order by g.ordinal;
end;
$$;
