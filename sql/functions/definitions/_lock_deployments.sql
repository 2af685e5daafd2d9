-- Takes the one lock under which definitions change, until the transaction ends. Raises object_not_in_prerequisite_state in a transaction that would go on with an older state than
-- the one that the lock protects (REPEATABLE READ and above).
create or replace function pgflow._lock_deployments() returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'definitions cannot change in a transaction that is %', upper(current_setting('transaction_isolation'))
      using errcode = 'object_not_in_prerequisite_state', hint = 'begin it with: begin isolation level read committed';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('pgflow.deployments', 0));
end;
$$;
