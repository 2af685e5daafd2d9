-- Takes the one lock under which definitions change, until the transaction ends. Raises
-- object_not_in_prerequisite_state in a transaction that would continue with an older state than the one that the lock
-- protects (REPEATABLE READ and above), and lock_not_available, with who holds it, if another one continues for more
-- than 10 s.
create or replace function pgflow._lock_deployments() returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'flows cannot be deployed or changed in a transaction of isolation level %', upper(current_setting('transaction_isolation'))
      using errcode = 'object_not_in_prerequisite_state', hint = 'start the transaction with: begin isolation level read committed';
  end if;
  perform pgflow._await_lock('deployment_lock', 'exclusive', current_setting('lock_timeout'),
    'could not lock the flows: another transaction deploys or changes some');
end;
$$;
