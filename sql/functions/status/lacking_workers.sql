-- lacking_workers(queue_name) -> one row for each live worker of the queue that lacks a 'flow.step' which can still appear
-- on it: it stops at the first such task (I7). A worker that never deployed, as pgflow's own, says nothing about steps. Takes no locks. For people.
create or replace function pgflow.lacking_workers(p_queue_name text) returns table (worker_id uuid, function_name text, pairs text[])
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select w.worker_id, w.function_name, array_agg(p.flow_slug || '.' || p.step_slug order by p.flow_slug, p.step_slug)
    from pgflow.workers w
    cross join pgflow._reachable_pairs(p_queue_name) p
    where w.queue_name = p_queue_name and w.generation > 0 and w.deprecated_at is null and pgflow._is_alive(w)
      and not exists (
        select from pgflow.worker_handlers h where h.worker_id = w.worker_id and h.flow_slug = p.flow_slug and h.step_slug = p.step_slug
      )
    group by w.worker_id
    order by w.worker_id;
end;
$$;
