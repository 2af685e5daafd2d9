-- Takes the one lock under which definitions change, until the transaction ends.
create or replace function pgflow._lock_deployments() returns void
language sql volatile
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended('pgflow.deployments', 0));
$$;
