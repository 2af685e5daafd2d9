-- Returns the live workers of the queues of a flow of a registry that lack a step of it there, the given worker and those
-- that never deployed left out, as [{"worker_id", "queue_name", "function_name", "pairs": ["orders.pay"]}]: each stops at the first such task (I7).
create or replace function pgflow._lacking_workers(p_flow jsonb, p_worker_id uuid) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'worker_id', l.worker_id, 'queue_name', l.queue_name, 'function_name', l.function_name, 'pairs', l.pairs
    ) order by l.queue_name, l.worker_id), '[]')
    from (
      select w.worker_id, w.queue_name, w.function_name, jsonb_agg(concat(p_flow ->> 'slug', '.', r.key) order by r.key collate "C") as pairs
      from jsonb_each_text(p_flow -> 'routing') r
      join pgflow.workers w on w.queue_name = r.value and w.worker_id is distinct from p_worker_id
      where w.generation > 0 and w.deprecated_at is null and pgflow._is_alive(w)
        and not exists (
          select from pgflow.worker_handlers h
          where h.worker_id = w.worker_id and h.flow_slug = p_flow ->> 'slug' and h.step_slug = r.key
        )
      group by w.worker_id
    ) l
  );
end;
$$;
