-- worker_heartbeat(worker_id, run_ids, step_slugs, task_indexes, claim_nos): a sign of life every 2 s, while draining too, with the tasks that the
-- worker has in flight. Returns one row: deprecated (also where the worker is unknown or stopped), whether its function is enabled, the
-- schema's version, the positions of the tasks that are no longer its own (their run ended, or another claim took them), and of those whose run was cancelled.
-- Locks: the worker's row. Repeated calls only refresh it.
create or replace function pgflow.worker_heartbeat(
  p_worker_id uuid, p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[]
) returns table (deprecated boolean, function_enabled boolean, schema_version int, lost_ordinals int[], cancelled_ordinals int[])
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_indexonlyscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_worker pgflow.workers;
  v_lost int[];
  v_cancelled int[];
begin
  perform pgflow._check_lengths(cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos));
  update pgflow.workers w
  set last_heartbeat_at = clock_timestamp(),
    unbroken_since = case
      when w.last_heartbeat_at < clock_timestamp() - interval '6 seconds' then clock_timestamp()
      else w.unbroken_since
    end
  where w.worker_id = p_worker_id and w.stopped_at is null
  returning * into v_worker;
  select array_agg(l.n order by l.n) filter (where not l.is_cancelled), array_agg(l.n order by l.n) filter (where l.is_cancelled)
  into v_lost, v_cancelled
  from (
    select g.n::int as n,
      coalesce(t.claim_no = g.claim_no and t.last_worker_id = p_worker_id and t.status = 'cancelled' and r.status = 'cancelled', false) as is_cancelled
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos) with ordinality as g (run_id, step_slug, task_index, claim_no, n)
    left join pgflow.step_tasks t on t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
    left join pgflow.runs r on r.run_id = any (array[t.run_id])
    where t.status is distinct from 'started' or t.claim_no <> g.claim_no or t.last_worker_id is distinct from p_worker_id
  ) l;
  return query
    select v_worker.worker_id is null or v_worker.deprecated_at is not null,
      coalesce((select f.enabled from pgflow.worker_functions f where f.function_name = v_worker.function_name), true),
      (select max(m.version) from pgflow.migrations m),
      coalesce(v_lost, '{}'), coalesce(v_cancelled, '{}');
end;
$$;
