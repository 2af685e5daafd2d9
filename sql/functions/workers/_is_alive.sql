-- Whether a worker lives: it has not stopped, and its last heartbeat is less than 30 s old by the clock. A deprecated one lives until it has drained.
create or replace function pgflow._is_alive(p_worker pgflow.workers) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return p_worker.stopped_at is null and p_worker.last_heartbeat_at > clock_timestamp() - interval '30 seconds';
end;
$$;
