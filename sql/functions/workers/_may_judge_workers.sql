-- Returns whether a worker may declare others dead: its own heartbeats were unbroken for 30 s and the server has
-- settled, so that nobody is blamed for an outage of the database or a jump of its clock.
create or replace function pgflow._may_judge_workers(p_worker_id uuid) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return pgflow._has_server_settled() and exists (
    select from pgflow.workers w
    where w.worker_id = p_worker_id
      and pgflow._is_near(w.last_heartbeat_at, interval '6 seconds')
      and w.unbroken_since < clock_timestamp() - interval '30 seconds'
  );
end;
$$;
