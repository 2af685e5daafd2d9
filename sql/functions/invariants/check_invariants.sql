-- check_invariants(full): in one snapshot, a row for each violation: counters that do not match their rows, active
-- tasks without a message, messages without a task, active tasks under ended steps or runs, fields that contradict a
-- status, orphaned rows, aliases that point nowhere, snapshots that differ from their step's route. Empty if all is
-- well, in the middle of work too. Looks at definitions, queues, and the runs that are started: its cost does not grow
-- with the ended ones. In full it looks at these too, and reads everything. Holds no locks of queues.
create or replace function pgflow.check_invariants(p_full boolean default false) returns table (invariant text, subject text, detail text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_run_ids uuid[];
begin
  if not p_full then
    v_run_ids := array(select r.run_id from pgflow.runs r where num_nonnulls(r.completed_at, r.failed_at, r.cancelled_at) = 0);
  end if;
  return query select * from pgflow._check_definitions();
  return query select * from pgflow._check_runs(v_run_ids);
  return query select * from pgflow._check_steps(v_run_ids);
  return query select * from pgflow._check_tasks(v_run_ids);
  return query select * from pgflow._check_messages(v_run_ids);
end;
$$;
