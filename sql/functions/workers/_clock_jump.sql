-- Returns by how much the database's clock has jumped since a worker's last heartbeat, backwards if it is negative;
-- null if it has not, or if nobody can tell. elapsed_ms is what passed on the worker's own clock, which no one sets
-- (null: not known, and only a heartbeat that lies in the future tells). Another worker's heartbeats that were never
-- broken in that time show that it was this worker, not the clock, that stood still. A difference of less than 20 s is
-- one of transport.
create or replace function pgflow._clock_jump(p_worker pgflow.workers, p_now timestamptz, p_elapsed_ms bigint) returns interval
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_jump interval := p_now - p_worker.last_heartbeat_at - make_interval(secs => coalesce(p_elapsed_ms, 0) / 1000.0);
begin
  if v_jump < interval '-20 seconds' and p_worker.last_heartbeat_at > p_now then
    return v_jump;
  end if;
  if v_jump > interval '20 seconds' and p_elapsed_ms is not null then
    return (
      select v_jump where not exists (
        select from pgflow.workers o
        where o.worker_id <> p_worker.worker_id
          and o.unbroken_since <= p_worker.last_heartbeat_at
          and o.last_heartbeat_at > p_worker.last_heartbeat_at + interval '20 seconds'
      )
    );
  end if;
  return null;
end;
$$;
