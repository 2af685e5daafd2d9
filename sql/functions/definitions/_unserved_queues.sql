-- Returns a sentence that names those queues of a routing that no live worker consumes; null if all are served. The
-- deploying worker's own queue counts as served.
create or replace function pgflow._unserved_queues(p_routing jsonb, p_queue_name text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select 'no live worker consumes ' || string_agg(q.queue_name, ', ' order by q.queue_name)
    from (select distinct r.value as queue_name from jsonb_each_text(p_routing) r where r.value <> p_queue_name) q
    where not exists (
      select from pgflow.workers w
      where w.queue_name = q.queue_name and w.deprecated_at is null and pgflow._is_alive(w)
    )
  );
end;
$$;
