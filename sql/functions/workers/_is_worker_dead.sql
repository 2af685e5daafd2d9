-- Returns whether the holder of a claim is dead: its row is missing, it has stopped, or its last heartbeat is 30 s away
-- from the clock.
create or replace function pgflow._is_worker_dead(p_worker_id uuid) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return not exists (
    select from pgflow.workers w
    where w.worker_id = p_worker_id and pgflow._is_alive(w)
  );
end;
$$;
