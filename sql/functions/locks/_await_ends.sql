-- Waits until the transactions that hold one of these locks now have ended, and returns how long that took; null if one
-- of them goes on for longer than allowed. Takes no lock and stands in no queue for one: it keeps nobody from anything.
create or replace function pgflow._await_ends(p_locks text[], p_longest interval) returns interval
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_from timestamptz := clock_timestamp();
  v_transactions text[] := pgflow._lock_transactions(p_locks);
begin
  while v_transactions <> '{}' loop
    if clock_timestamp() > v_from + p_longest then
      return null;
    end if;
    perform pg_sleep(0.01);
    v_transactions := array(select unnest(v_transactions) intersect select unnest(pgflow._lock_transactions(p_locks)));
  end loop;
  return clock_timestamp() - v_from;
end;
$$;
