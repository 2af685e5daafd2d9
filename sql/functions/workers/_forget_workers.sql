-- Deletes the rows of workers whose last heartbeat came before the given instant and that have stopped or are dead,
-- with their handlers, as long as no started task is theirs. Tasks of a queue that does not exist are found by the open
-- runs of its flows.
create or replace function pgflow._forget_workers(p_before timestamptz) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_worker_ids uuid[];
  v_present text[];
  v_missing text[];
begin
  v_worker_ids := array(
    select w.worker_id from pgflow.workers w
    where w.last_heartbeat_at < p_before and not pgflow._is_alive(w)
    for update skip locked
  );
  select array_agg(q.queue_name) filter (where q.there), array_agg(q.queue_name) filter (where not q.there) into v_present, v_missing
  from (select u.queue_name, pgflow._queue_exists(u.queue_name) as there
    from (select distinct w.queue_name from pgflow.workers w where w.worker_id = any (v_worker_ids)) u) q;
  delete from pgflow.workers w
  where w.worker_id = any (v_worker_ids) and w.worker_id not in (
    select t.last_worker_id
    from unnest(v_present) as q (queue_name)
    cross join pgflow._tasks_in_flight(q.queue_name) t
    where t.last_worker_id is not null
    union all
    select t.last_worker_id
    from unnest(v_missing) as q (queue_name)
    join pgflow.steps s on s.queue_name = q.queue_name
    join pgflow.runs r on r.flow_slug = s.flow_slug and num_nonnulls(r.completed_at, r.failed_at, r.cancelled_at) = 0
    join pgflow.step_tasks t on t.run_id = r.run_id and t.step_slug = s.step_slug and t.status = 'started'
    where t.last_worker_id is not null
  );
end;
$$;
