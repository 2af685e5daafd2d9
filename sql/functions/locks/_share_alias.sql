-- Takes the lock of an alias shared, until the transaction ends: no deployment moves it meanwhile. Raises
-- lock_not_available, with who holds it, if one continues for more than 10 s. A transaction that sees an older state of
-- the alias than the one that the lock protects (REPEATABLE READ and above) fails with serialization_failure, and must
-- be retried.
create or replace function pgflow._share_alias(p_flow_alias text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  begin
    execute 'lock table pgflow.' || pgflow._alias_lock(p_flow_alias) || ' in row share mode nowait';
  exception when lock_not_available then
    perform pgflow._await_lock(
      pgflow._alias_lock(p_flow_alias), 'row share', current_setting('lock_timeout'),
        format('could not lock alias %s: another transaction deploys or changes it', p_flow_alias)
    );
  end;
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    perform from pgflow.flow_aliases a where a.flow_alias = p_flow_alias for share;
  end if;
end;
$$;
