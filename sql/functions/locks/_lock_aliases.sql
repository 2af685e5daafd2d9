-- Takes the locks of aliases exclusively, all at once or none, until the transaction ends. Transactions that start a
-- run wait behind a lock that is taken and behind one that is waited for. So it first waits, without any lock, until the
-- transactions that hold them have ended; then it takes them, and gives back what it has if the transactions that have
-- come since do not let it through for longer than those took to end, and 100 ms. Tries for a second, then raises
-- lock_not_available, which names a holder.
create or replace function pgflow._lock_aliases(p_flow_aliases text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
declare
  v_until timestamptz := clock_timestamp() + interval '1 second';
  v_locks text[] := pgflow._alias_locks(p_flow_aliases);
  v_took interval;
  v_end timestamptz;
  v_lock text;
begin
  loop
    v_took := pgflow._await_ends(v_locks, v_until - clock_timestamp());
    exit when v_took is null;
    begin
      v_end := clock_timestamp() + v_took + interval '100 ms';
      foreach v_lock in array v_locks loop
        perform set_config('lock_timeout', greatest(1, ceil(extract(milliseconds from v_end - clock_timestamp())))::text, true);
        execute format('lock table pgflow.%I in exclusive mode', v_lock);
      end loop;
      return;
    exception when lock_not_available then null;
    end;
    exit when clock_timestamp() > v_until;
  end loop;
  perform pgflow._refuse_aliases(p_flow_aliases);
end;
$$;
