-- Returns why a worker may not deploy at all (_fence_reason); null if it may. Records the function, enabled, if it is
-- new.
-- Locks: the function's row for share, until commit: nobody disables it meanwhile. It waits for 500 ms at most, since
-- the transaction that switches the function may be about to wait for the deployment lock; raises lock_not_available
-- then.
create or replace function pgflow._deployment_refusal(p_worker_id uuid, p_function_name text) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
begin
  insert into pgflow.worker_functions (function_name) values (p_function_name) on conflict do nothing;
  perform from pgflow.worker_functions w where w.function_name = p_function_name for share;
  return pgflow._fence_reason(p_worker_id, p_function_name);
exception when lock_not_available then
  raise exception 'could not lock worker function %: an open transaction enables or disables it', p_function_name
    using errcode = 'lock_not_available', hint = 'end that transaction; the worker retries';
end;
$$;
