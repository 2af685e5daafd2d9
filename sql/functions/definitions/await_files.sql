-- await_files(worker_id, function_name, registries, read_from): await_deployment for deploy_files: also waits for the
-- aliases of what it would change otherwise than by the worker's own registry. Raises serialization_failure for files
-- that are older than deployed ones (_check_files_age).
create or replace function pgflow.await_files(p_worker_id uuid, p_function_name text, p_registries jsonb, p_read_from bigint) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow._await_deployment(p_worker_id, p_function_name, pgflow._files_aliases(pgflow._all_flows(p_registries)));
  perform pgflow._check_files_age(p_worker_id, p_registries, p_read_from);
end;
$$;
