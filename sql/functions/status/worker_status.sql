-- worker_status(all) -> one row for each worker, by queue and age, with its state: running | draining | dead | stopped, or
-- fenced: it waits, without a generation, and serves nothing; troubles has why, and what its deployment would answer.
-- Without all: only those that have neither stopped nor been silent for more than a day. heartbeat_age_ms is negative for
-- a heartbeat in the future, which was sent before the clock was set back. troubles: what goes wrong in it, each with
-- its name, since when, count, last error, and a message that says all of it; of one that does not live only that its
-- heartbeats fail: the others are what it said when it was last heard of. old_generations: what the worker's old
-- generations still hold, oldest first (report_old_generations). Takes no locks; its cost grows with what is in the
-- queues. For people.
create or replace function pgflow.worker_status(p_all boolean) returns table (
  worker_id uuid, queue_name text, function_name text, generation bigint, state text, tasks_in_flight bigint, started_at timestamptz,
  last_heartbeat_at timestamptz, heartbeat_age_ms bigint, deprecated_at timestamptz, stopped_at timestamptz, last_reload_error text,
  last_reload_at timestamptz, troubles jsonb, old_generations jsonb
)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  select w.worker_id, w.queue_name, w.function_name, w.generation,
    case
      when w.stopped_at is not null then 'stopped'
      when not pgflow._is_alive(w) then 'dead'
      when w.deprecated_at is not null then 'draining'
      else 'running'
    end,
    coalesce(t.tasks_in_flight, 0), w.started_at, w.last_heartbeat_at,
    (extract(epoch from clock_timestamp() - w.last_heartbeat_at) * 1000)::bigint,
    w.deprecated_at, w.stopped_at, w.last_reload_error, w.last_reload_at,
    (
      select coalesce(jsonb_agg(to_jsonb(x) - 'worker_id' || jsonb_build_object('message', pgflow._trouble_text(x)) order by x.since), '[]')
      from pgflow.worker_troubles x
      where x.worker_id = w.worker_id and (pgflow._is_alive(w) or x.trouble = 'heartbeat')
    ),
    (
      select coalesce(jsonb_agg(to_jsonb(o) - 'worker_id' order by o.generation), '[]')
      from pgflow.old_generations o
      where o.worker_id = w.worker_id and pgflow._is_alive(w)
    )
  from pgflow.workers w
  left join pgflow.worker_tasks() t on t.worker_id = w.worker_id
  where p_all or (w.stopped_at is null and w.last_heartbeat_at > clock_timestamp() - interval '1 day')
  union all
  select w.worker_id, w.queue_name, w.function_name, null, 'fenced', 0, w.since, w.last_heartbeat_at,
    (extract(epoch from clock_timestamp() - w.last_heartbeat_at) * 1000)::bigint, null, null, null, null,
    jsonb_build_array(jsonb_build_object(
      'trouble', 'fenced', 'since', w.since, 'count', null, 'error', w.reason,
      'message', concat_ws('; ', w.reason, 'its deployment would be refused: ' || pgflow._refusal_text(w.answer))
    )), '[]'::jsonb
  from pgflow._waiting_workers() w
  order by 2, 7, 1;
$$;
