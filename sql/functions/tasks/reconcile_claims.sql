-- reconcile_claims(worker_id, run_ids, step_slugs, task_indexes, claim_nos): requeues, without cost, every task that is
-- started under this worker and is not among those that it knows. Called on every new work connection, after the old
-- backend has ended and before the first claim: such a task was claimed in a transaction whose answer was lost. Returns
-- the tasks that were put back. A repeated call finds none.
-- Locks: as release_tasks.
create or replace function pgflow.reconcile_claims(
  p_worker_id uuid, p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[]
) returns table (run_id uuid, step_slug text, task_index int)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_name text := (select w.queue_name from pgflow.workers w where w.worker_id = p_worker_id);
  v_callbacks pgflow.callback[];
begin
  perform pgflow._check_lengths(cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos));
  if v_queue_name is null then
    return;
  end if;
  select pgflow._callbacks(array_agg(t.run_id), array_agg(t.step_slug), array_agg(t.task_index), array_agg(t.claim_no)) into v_callbacks
  from pgflow._tasks_in_flight(v_queue_name) t
  where t.last_worker_id = p_worker_id and (t.run_id, t.step_slug, t.task_index, t.claim_no) not in (
    select k.run_id, k.step_slug, k.task_index, k.claim_no
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos) as k (run_id, step_slug, task_index, claim_no)
    where num_nulls(k.run_id, k.step_slug, k.task_index, k.claim_no) = 0
  );
  return query
    select g.run_id, g.step_slug, g.task_index from unnest(pgflow._release_tasks(v_callbacks)) g where g.verdict = 'done' order by g.ordinal;
end;
$$;
