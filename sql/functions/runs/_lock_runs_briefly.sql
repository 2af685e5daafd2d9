-- Locks runs as lock_runs does, on behalf of a deployment that holds locks of aliases: it waits for each for 500 ms at
-- most, since the transaction that holds a run may be about to start another one and wait for such an alias, and must
-- not be the one to be ended by the check for deadlocks.
-- Raises lock_not_available if a run stays locked for longer.
create or replace function pgflow._lock_runs_briefly(p_run_ids uuid[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
begin
  perform from pgflow.runs r where r.run_id = any (p_run_ids) order by r.run_id for update;
exception when lock_not_available then
  raise exception 'could not lock the runs of the flow: open transactions work on some of them'
    using errcode = 'lock_not_available', hint = 'try again when those transactions have ended';
end;
$$;
