-- Returns the sessions that keep sessions of workers and their handlers from locks of schemas pgflow and pgmq for more
-- than 5 s, other than those that lock_holders has: process id (0 for a prepared transaction), in words who that is,
-- since when its transaction is open (null if the owner of the schema must not see it), and the names of the sessions
-- that it blocks. Of a chain of sessions that wait for each other only its end is returned. A worker's own session
-- takes no other locks; one of handlers counts where it waits for a row or relation of these schemas. A worker gives up
-- each wait soon: one that is connected and silent counts as blocked by the sessions that have locked rows of workers.
-- Takes no locks.
create or replace function pgflow._blockers() returns table (pid int, who text, since timestamptz, blocked text[])
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  with recursive locks as materialized (
    select coalesce(l.pid, 0) as pid, l.locktype, l.mode, l.granted, l.waitstart, n.nspname, c.relname
    from pg_locks l
    left join pg_class c on c.oid = l.relation and l.database = (select d.oid from pg_database d where d.datname = current_database())
    left join pg_namespace n on n.oid = c.relnamespace
  ), sessions as materialized (
    select a.pid, a.application_name from pg_stat_activity a
    where a.datname = current_database() and a.application_name ~ '^luaflow (worker|handler) '
  ), waiting as (
    select s.pid, s.application_name, w.waitstart
    from locks w
    join sessions s on s.pid = w.pid
    where not w.granted and w.waitstart < clock_timestamp() - interval '200 milliseconds'
      and coalesce(w.relname, '') !~ '^(alias_lock_|deployment_lock$|rollout_lock$)'
      and (s.application_name like 'luaflow worker %' or exists (
        select from locks l where l.pid = w.pid and l.nspname in ('pgflow', 'pgmq') and (l.locktype = 'tuple' or not l.granted)
      ))
  ), chain (waiter, pid) as (
    select w.pid, b.pid from waiting w cross join lateral unnest(pg_blocking_pids(w.pid)) as b (pid)
    union
    select c.waiter, b.pid from chain c cross join lateral unnest(pg_blocking_pids(c.pid)) as b (pid)
  ), found as (
    select c.pid, w.application_name, w.waitstart
    from chain c
    join waiting w on w.pid = c.waiter
    where c.pid not in (select l.pid from locks l where not l.granted)
    union
    select l.pid, s.application_name, null
    from locks l
    cross join sessions s
    join pgflow.workers k on s.application_name = 'luaflow worker ' || k.queue_name
    where l.granted and l.nspname = 'pgflow' and l.relname = 'workers' and l.mode <> 'AccessShareLock'
      and l.pid not in (select o.pid from sessions o) and k.stopped_at is null and not pgflow._is_alive(k)
  )
  select f.pid,
    case when f.pid = 0 then 'a prepared transaction (see pg_prepared_xacts)'
      else format('process %s (%s)', f.pid, concat_ws(', ', nullif(a.application_name, ''), 'role ' || a.usename)) end,
    a.xact_start, array_agg(distinct f.application_name order by f.application_name)
  from found f
  left join pg_stat_activity a on a.pid = f.pid
  where f.pid is distinct from pg_backend_pid()
    and coalesce(least(f.waitstart, a.xact_start), '-infinity') < clock_timestamp() - interval '5 seconds'
  group by f.pid, a.application_name, a.usename, a.xact_start
  order by a.xact_start, f.pid;
$$;
