-- check_invariants(): in one snapshot, a row for each violation: counters that do not match their rows, active tasks without a message, messages without
-- a task, active tasks under ended steps or runs, fields that contradict a status, orphaned rows, aliases that point nowhere, snapshots that differ from their
-- step's route. Empty where all is well, in the middle of work too. Reads everything: for operators and specs. Takes no locks.
create or replace function pgflow.check_invariants() returns table (invariant text, subject text, detail text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query select * from pgflow._check_definitions();
  return query select * from pgflow._check_runs();
  return query select * from pgflow._check_steps();
  return query select * from pgflow._check_tasks();
  return query select * from pgflow._check_messages();
end;
$$;
