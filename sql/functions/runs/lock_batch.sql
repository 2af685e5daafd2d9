-- lock_batch(run_ids, claiming_queue, waits): lock_runs for a worker's batch. It waits for those that others have
-- locked for 1 s at most, or not at all: a result whose run is locked for long must not hold up the results of others,
-- and the worker finds it by smaller and smaller batches.
-- Errors: 55P03 if one is locked. Locks: the rows of the runs, until commit.
create or replace function pgflow.lock_batch(p_run_ids uuid[], p_claiming_queue text, p_waits boolean) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '1s'
as $$
begin
  if not p_waits then
    perform from pgflow.runs r where r.run_id = any (p_run_ids) order by r.run_id for update nowait;
  end if;
  perform pgflow.lock_runs(p_run_ids, p_claiming_queue);
end;
$$;
