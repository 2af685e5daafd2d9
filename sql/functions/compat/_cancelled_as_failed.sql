-- Returns the fields by which a cancelled run looks failed to pgflow's clients, whose runs start, complete or fail; none
-- of any other run.
create or replace function pgflow._cancelled_as_failed(p_run pgflow.runs) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case when p_run.status = 'cancelled' then jsonb_build_object(
    'status', 'failed', 'failed_at', p_run.cancelled_at, 'error_message', coalesce(p_run.error_message, 'the run was cancelled')
  ) else '{}' end;
$$;
