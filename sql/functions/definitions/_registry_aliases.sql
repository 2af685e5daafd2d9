-- Returns the aliases that a deployment may touch or whose runs it may strand: those of the registry, of the flows
-- routed to the worker's queue, and of what the worker handles now.
create or replace function pgflow._registry_aliases(p_worker_id uuid, p_queue_name text, p_registry jsonb) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select f.value ->> 'alias' from jsonb_array_elements(p_registry -> 'flows') as f (value)
    union
    select f.flow_alias from pgflow.steps s join pgflow.flows f on f.flow_slug = s.flow_slug where s.queue_name = p_queue_name
    union
    select f.flow_alias from pgflow.worker_handlers h join pgflow.flows f on f.flow_slug = h.flow_slug where h.worker_id = p_worker_id
    order by 1
  );
$$;
