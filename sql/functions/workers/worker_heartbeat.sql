-- worker_heartbeat(worker_id, run_ids, step_slugs, task_indexes, claim_nos, elapsed_ms): a sign of life every 2 s,
-- while draining too, with the tasks that the worker has in flight or has not recorded yet, and the milliseconds since
-- its last heartbeat by its own steady clock (null: the first one). A task that it lists is not stalled, whatever the
-- time: those past theirs are kept in its row. Returns one row: deprecated (also if the worker is unknown or stopped),
-- whether its function is enabled, the schema's version, the positions of the tasks that are no longer its own (their
-- run ended, or another claim took them), of those whose run was cancelled, and the seconds by which the database's
-- clock has jumped since the last heartbeat (null: it has not), which is stored too; whether the worker is unknown; and
-- the last request to reload (request_reload) that it has not answered yet, or null.
-- Locks: the worker's row. Repeated calls only refresh it.
create or replace function pgflow.worker_heartbeat(
  p_worker_id uuid, p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[], p_elapsed_ms bigint default null
) returns table (
  deprecated boolean, function_enabled boolean, schema_version int, lost_ordinals int[], cancelled_ordinals int[], clock_jump_s bigint,
  unknown boolean, reload_request bigint
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_worker pgflow.workers;
  v_jump interval;
  v_unknown boolean;
  v_lost int[];
  v_cancelled int[];
  v_overdue text[];
begin
  perform pgflow._check_lengths(cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos));
  select array_agg(l.n order by l.n) filter (where l.is_lost and not l.is_cancelled), array_agg(l.n order by l.n) filter (where l.is_cancelled),
    array_agg(l.overdue) filter (where l.overdue is not null)
  into v_lost, v_cancelled, v_overdue
  from (
    select g.n::int as n, j.is_lost,
      coalesce(t.claim_no = g.claim_no and t.last_worker_id = p_worker_id and t.status = 'cancelled' and r.status = 'cancelled', false) as is_cancelled,
      case when j.is_old and not j.is_lost and pgflow._recoverable_at(t.started_at, t.claimed_timeout) < v_now
        then pgflow._claim_key(t.run_id, t.step_slug, t.task_index, t.claim_no)
      end as overdue
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos) with ordinality as g (run_id, step_slug, task_index, claim_no, n)
    left join pgflow.step_tasks t on t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
    cross join lateral (
      select t.status is distinct from 'started' or t.claim_no <> g.claim_no or t.last_worker_id is distinct from p_worker_id as is_lost,
        t.status = 'started' and t.started_at < v_now - interval '30 seconds' as is_old
    ) j
    left join pgflow.runs r on j.is_lost and r.run_id = any (array[t.run_id])
    where j.is_lost or j.is_old
  ) l;
  select * into v_worker from pgflow.workers w where w.worker_id = p_worker_id;
  v_unknown := not found;
  v_jump := pgflow._clock_jump(v_worker, v_now, p_elapsed_ms);
  update pgflow.workers w
  set last_heartbeat_at = v_now,
    unbroken_since = case
      when w.unbroken_since <= v_now and w.last_heartbeat_at between v_now - interval '6 seconds' and v_now + interval '6 seconds' then w.unbroken_since
      else v_now
    end,
    overdue_tasks = coalesce(v_overdue, '{}'),
    clock_jumped_at = case when v_jump is null then w.clock_jumped_at else v_now end,
    clock_jumped_by = coalesce(v_jump, w.clock_jumped_by)
  where w.worker_id = p_worker_id and w.stopped_at is null
  returning * into v_worker;
  return query
    select v_worker.worker_id is null or v_worker.deprecated_at is not null,
      coalesce((select f.enabled from pgflow.worker_functions f where f.function_name = v_worker.function_name), true),
      (select max(m.version) from pgflow.migrations m),
      coalesce(v_lost, '{}'), coalesce(v_cancelled, '{}'), round(extract(epoch from v_jump))::bigint,
      v_unknown,
      case when v_worker.reload_request > coalesce(v_worker.reload_answer, 0) then v_worker.reload_request end;
end;
$$;
