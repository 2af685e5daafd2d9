-- Returns who keeps others from taking a lock in the given mode: its process id, in words who that is, and the statement
-- that ends it, null for a worker of luaflow, whose deployment is soon done. A session that holds it comes before one
-- that waits for it. Nulls if it is free by now. The start of a foreign transaction is seen by roles with
-- pg_read_all_stats alone.
create or replace function pgflow._lock_holder(p_lock text, p_mode text, out pid int, out who text, out remedy text)
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select l.pid, case
      when l.pid is null then 'a prepared transaction (see pg_prepared_xacts)'
      else format('process %s (%s)', l.pid, concat_ws(', ', nullif(a.application_name, ''), 'role ' || a.usename, 'since ' || a.xact_start::timestamptz(0)))
    end,
    case when coalesce(a.application_name, '') not like 'luaflow worker %' then 'select pg_terminate_backend(' || l.pid || ')' end
  from pg_locks l
  left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'relation'
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.relation = format('pgflow.%I', p_lock)::regclass
    and l.pid is distinct from pg_backend_pid()
    and l.mode = any (case p_mode when 'exclusive' then '{RowShareLock,ExclusiveLock}' else '{ExclusiveLock}' end::text[])
  order by l.granted desc, a.xact_start
  limit 1;
$$;
