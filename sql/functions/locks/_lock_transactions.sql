-- Returns the other transactions that hold one of these locks and keep it from being taken exclusively: their numbers in
-- pg_locks, which everybody sees.
create or replace function pgflow._lock_transactions(p_locks text[]) returns text[]
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select distinct l.virtualtransaction
    from pg_locks l
    where l.locktype = 'relation'
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.relation in (select format('pgflow.%I', u.lock)::regclass from unnest(p_locks) as u (lock))
      and l.granted and l.mode in ('RowShareLock', 'ExclusiveLock') and l.pid is distinct from pg_backend_pid()
  );
$$;
