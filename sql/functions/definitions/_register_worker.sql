-- Replaces the worker's row, its generation and the (flow, step) pairs that it handles: all those of its registry. The
-- caller holds the lock of its row (_lock_worker).
create or replace function pgflow._register_worker(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb, p_generation bigint
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into pgflow.workers (worker_id, queue_name, function_name, last_heartbeat_at, generation)
  values (p_worker_id, p_queue_name, p_function_name, clock_timestamp(), p_generation)
  on conflict (worker_id) do update
    set queue_name = excluded.queue_name, function_name = excluded.function_name,
      last_heartbeat_at = excluded.last_heartbeat_at, generation = excluded.generation;
  delete from pgflow.worker_handlers h where h.worker_id = p_worker_id;
  insert into pgflow.worker_handlers (worker_id, flow_slug, step_slug)
  select p_worker_id, h.flow_slug, h.step_slug from pgflow._registry_pairs(p_registry) h;
  update pgflow.workers w set longest_timeout = pgflow._longest_timeout(p_worker_id) where w.worker_id = p_worker_id;
end;
$$;
