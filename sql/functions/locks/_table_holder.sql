-- Returns the session that has held locks of whole tables of schemas pgflow and pgmq under which nobody can write for
-- longest, if that is more than 5 s: process id (0 for a prepared transaction), and in words who that is, with the
-- tables. A worker that gives up its waits does not always wait when one looks (_blockers). Takes no locks.
create or replace function pgflow._table_holder() returns table (pid int, who text)
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(l.pid, 0),
    format('%s has locked %s',
      case when l.pid is null then 'a prepared transaction (see pg_prepared_xacts)'
        else format('process %s (%s)', l.pid, concat_ws(', ', nullif(a.application_name, ''), 'role ' || a.usename)) end,
      string_agg(distinct format('table %I.%I', n.nspname, c.relname), ', '))
  from pg_locks l
  join pg_class c on c.oid = l.relation and c.relkind in ('r', 'p') and c.relnatts > 0
  join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('pgflow', 'pgmq')
  left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'relation' and l.granted and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    and l.pid is distinct from pg_backend_pid() and coalesce(a.xact_start, '-infinity') < clock_timestamp() - interval '5 seconds'
  group by l.pid, a.application_name, a.usename, a.xact_start
  order by a.xact_start, l.pid
  limit 1;
$$;
