-- worker_function_status() -> one row for each worker function: whether it is enabled, how many of its workers live,
-- the queues that they have had, and whether an open rollout holds it. Takes no locks. For people.
create or replace function pgflow.worker_function_status() returns table (
  function_name text, enabled boolean, live_workers bigint, queue_names text[], in_rollout boolean, enabled_before_rollout boolean
)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  select f.function_name, f.enabled, coalesce(w.live_workers, 0), coalesce(w.queue_names, '{}'), r.function_name is not null, r.was_enabled
  from pgflow.worker_functions f
  left join (
    select w.function_name, count(*) filter (where pgflow._is_alive(w)) as live_workers,
      array_agg(distinct w.queue_name order by w.queue_name) as queue_names
    from pgflow.workers w
    group by w.function_name
  ) w on w.function_name = f.function_name
  left join pgflow.rollout_status() r on r.function_name = f.function_name
  order by f.function_name;
$$;
