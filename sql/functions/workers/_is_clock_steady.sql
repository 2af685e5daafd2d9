-- Returns whether the clock can be trusted with what is past its time: no worker's heartbeat found a jump in the last
-- 30 s, in which every live worker has listed its tasks since; and the given worker's own heartbeat is fresh, so that
-- none is unnoticed. Without a worker only the first can be asked.
create or replace function pgflow._is_clock_steady(p_worker_id uuid) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return not exists (select from pgflow.workers w where w.clock_jumped_at is not null and pgflow._is_near(w.clock_jumped_at, interval '30 seconds'))
    and (p_worker_id is null or exists (
      select from pgflow.workers w where w.worker_id = p_worker_id and pgflow._is_near(w.last_heartbeat_at, interval '6 seconds')
    ));
end;
$$;
