-- Returns whether every live worker of a queue that is not deprecated handles a (flow, step) pair, and there is one
-- (I6). A worker that never deployed (generation 0), as pgflow's own, says nothing about pairs and does not count.
create or replace function pgflow._is_handled(p_queue_name text, p_flow_slug text, p_step_slug text) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return coalesce((
    select bool_and(exists (
      select from pgflow.worker_handlers h
      where h.worker_id = w.worker_id and h.flow_slug = p_flow_slug and h.step_slug = p_step_slug
    ))
    from pgflow.workers w
    where w.queue_name = p_queue_name and w.generation > 0 and w.deprecated_at is null and pgflow._is_alive(w)
  ), false);
end;
$$;
