-- Locks a worker's row, if there is one, until the transaction ends. Raises lock_not_available if another transaction
-- holds it for 500 ms.
create or replace function pgflow._lock_worker(p_worker_id uuid) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
begin
  perform from pgflow.workers w where w.worker_id = p_worker_id for no key update;
exception when lock_not_available then
  raise exception 'could not lock the row of worker %: an open transaction has changed it', p_worker_id
    using errcode = 'lock_not_available', hint = 'end that transaction; the worker retries';
end;
$$;
