-- Returns the key of the advisory lock by which the session of a step's transaction is found while it is open
-- (_end_stalled_transactions).
create or replace function pgflow._transaction_mark(p_run_id uuid, p_step_slug text, p_task_index int, p_claim_no bigint) returns bigint
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return hashtextextended(format('pgflow.transaction:%s:%s:%s:%s', p_run_id, p_step_slug, p_task_index, p_claim_no), 0);
end;
$$;
