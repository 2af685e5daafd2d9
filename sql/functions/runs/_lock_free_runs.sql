-- Locks those of the given runs that are started and that nobody else has locked, in the order of lock_runs, and
-- returns them. Locks: the rows of the runs, until commit; it never waits.
create or replace function pgflow._lock_free_runs(p_run_ids uuid[]) returns uuid[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select r.run_id from pgflow.runs r where r.run_id = any (p_run_ids) and r.status = 'started' order by r.run_id for update skip locked
  );
end;
$$;
