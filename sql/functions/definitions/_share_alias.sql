-- Takes the lock of an alias shared, until the transaction ends: no deployment moves it meanwhile. A transaction that sees an older state of the alias than the one that the
-- lock protects (REPEATABLE READ and above) fails with serialization_failure, and is to be tried again.
create or replace function pgflow._share_alias(p_flow_alias text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(pgflow._alias_lock_key(p_flow_alias));
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    perform from pgflow.flow_aliases a where a.flow_alias = p_flow_alias for share;
  end if;
end;
$$;
