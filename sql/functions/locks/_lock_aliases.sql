-- Takes the locks of aliases exclusively, all at once or none, until the transaction ends. Transactions that start a
-- run wait behind it meanwhile, so it waits for 300 ms at most and only while it holds none of them: for the first
-- lock, or for the one that was not free before; for the others no longer than starts take. If that fails it gives back
-- what it has and tries again, for 3 s. Raises lock_not_available, which names a holder, if a transaction that started
-- a run stays open for longer.
create or replace function pgflow._lock_aliases(p_flow_aliases text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '300ms'
as $$
declare
  v_until timestamptz := clock_timestamp() + interval '3 seconds';
  v_locks text[] := array(select distinct pgflow._alias_lock(u.flow_alias) from unnest(p_flow_aliases) as u (flow_alias) order by 1);
  v_lock text;
  v_busy text;
  v_holder record;
begin
  loop
    begin
      foreach v_lock in array array_remove(v_busy || array_remove(v_locks, v_busy), null) loop
        execute format('lock table pgflow.%s in exclusive mode', v_lock);
        perform set_config('lock_timeout', '50ms', true);
      end loop;
      return;
    exception when lock_not_available then
      v_busy := v_lock;
    end;
    exit when clock_timestamp() > v_until;
    perform pg_sleep(0.02 + random() * 0.1);
  end loop;
  select * into v_holder from pgflow._lock_holder(v_busy, 'exclusive') h;
  raise exception 'could not lock aliases %: open transactions have called start_flow: %', array_to_string(p_flow_aliases, ', '), coalesce(v_holder.who, 'many')
    using errcode = 'lock_not_available', hint = concat_ws('; ',
      'try again when they have ended (a worker retries)', 'or end that one: select pg_terminate_backend(' || v_holder.pid || ')');
end;
$$;
