-- Returns whether a worker lives: it has not stopped, and its last heartbeat is less than 30 s away from the clock: one
-- that lies in the future was sent before the clock was set back, and a live worker has sent another since. A
-- deprecated one lives until it has drained.
create or replace function pgflow._is_alive(p_worker pgflow.workers) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return p_worker.stopped_at is null and pgflow._is_near(p_worker.last_heartbeat_at, interval '30 seconds');
end;
$$;
