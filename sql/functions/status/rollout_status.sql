-- rollout_status(): where the open rollout stands: a row for each of its functions: the queues of its workers, whether
-- it was and is enabled, its old workers that still live and the tasks that they have in flight; how many of its workers
-- wait behind the fence, and those whose deployment would be refused, as [{"worker_id", "queue_name", "message"}]. No
-- row if no rollout is open. Takes no locks.
create or replace function pgflow.rollout_status()
returns table (
  function_name text, queue_names text[], was_enabled boolean, enabled boolean, live_workers int, tasks_in_flight bigint, begun_at timestamptz,
  waiting_workers int, refusals jsonb
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select f.function_name,
      array(
        select w.queue_name from pgflow.workers w where w.function_name = f.function_name
        union
        select w.queue_name from pgflow._waiting_workers() w where w.function_name = f.function_name
        order by 1
      ),
      f.was_enabled, s.enabled,
      (select count(*)::int from pgflow._old_workers(f.function_name)),
      (
        select count(*)
        from (select distinct w.queue_name from pgflow._old_workers(f.function_name) w) q
        cross join pgflow._tasks_in_flight(q.queue_name) t
        where t.last_worker_id in (select w.worker_id from pgflow._old_workers(f.function_name) w)
      ),
      r.begun_at,
      (select count(*)::int from pgflow._waiting_workers() w where w.function_name = f.function_name),
      (
        select coalesce(jsonb_agg(
          jsonb_build_object('worker_id', w.worker_id, 'queue_name', w.queue_name, 'message', t.message) order by w.queue_name, w.since
        ), '[]')
        from pgflow._waiting_workers() w
        cross join lateral (select pgflow._refusal_text(w.answer) as message) t
        where w.function_name = f.function_name and t.message is not null
      )
    from pgflow.rollouts r
    join pgflow.rollout_functions f on f.rollout_id = r.rollout_id
    join pgflow.worker_functions s on s.function_name = f.function_name
    where r.finished_at is null
    order by f.function_name;
end;
$$;
