-- Returns how to end the transaction of a session that blocks workers, by its process id, 0 for a prepared transaction.
create or replace function pgflow._blocker_hint(p_pid int) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select 'its open transaction has locks that they wait for: ' || case
    when p_pid = 0 then 'end it with commit prepared or rollback prepared'
    else format('commit it, or end it: select pg_terminate_backend(%s)', p_pid)
  end;
$$;
