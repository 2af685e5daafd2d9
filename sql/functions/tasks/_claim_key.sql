-- Returns a claim of a task as one text, as workers.overdue_tasks has it.
create or replace function pgflow._claim_key(p_run_id uuid, p_step_slug text, p_task_index int, p_claim_no bigint) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return concat_ws(' ', p_run_id, p_step_slug, p_task_index, p_claim_no);
end;
$$;
