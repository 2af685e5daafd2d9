-- Returns those of these transactions, by their numbers in pg_locks, that are still open after that time; it returns
-- as soon as none is. For transactions whose start must not be seen.
create or replace function pgflow._lasting_transactions(p_transactions text[], p_for interval) returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_until timestamptz := clock_timestamp() + p_for;
  v_open text[] := p_transactions;
begin
  while v_open <> '{}' and clock_timestamp() < v_until loop
    perform pg_sleep(0.1);
    v_open := array(select distinct l.virtualtransaction from pg_locks l where l.virtualtransaction = any (v_open));
  end loop;
  return v_open;
end;
$$;
