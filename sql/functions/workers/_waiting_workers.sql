-- Returns the workers that wait behind the fence now: those that have asked in the last 30 s.
create or replace function pgflow._waiting_workers() returns setof pgflow.fenced_workers
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select w.* from pgflow.fenced_workers w where pgflow._is_near(w.last_heartbeat_at, interval '30 seconds');
$$;
