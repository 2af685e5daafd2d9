-- report_trouble(worker_id, trouble, count, error): what goes wrong in the worker, since the first report of it, and
-- the last error; a null error ends it. count is null or 0 for what is not counted. An unknown worker is not an error.
-- Locks: the worker's row against its removal.
create or replace function pgflow.report_trouble(p_worker_id uuid, p_trouble text, p_count int, p_error text) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  delete from pgflow.worker_troubles t where t.worker_id = p_worker_id and t.trouble = p_trouble and p_error is null;
  insert into pgflow.worker_troubles as t (worker_id, trouble, count, error)
  select w.worker_id, p_trouble, nullif(p_count, 0), left(p_error, 8192)
  from pgflow.workers w where w.worker_id = p_worker_id and p_error is not null
  on conflict (worker_id, trouble) do update set count = excluded.count, error = excluded.error;
$$;
