-- lock_holders() -> one row for each session that has held locks under which runs are started and flows deployed for
-- more than 5 s, or for which somebody has waited so long: its process id (null for a prepared transaction), in words
-- who that is, since when its transaction is open (null if the owner of the schema must not see it), the aliases whose
-- locks it holds, other than by starting runs, and how many sessions wait for it. An alias shares its lock with others.
-- Takes no locks. For people.
create or replace function pgflow.lock_holders()
returns table (pid int, who text, since timestamptz, flow_aliases text[], deploys boolean, waiting bigint)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with locks as materialized (
    select l.pid, l.mode, l.granted, l.waitstart, l.virtualtransaction, c.relname
    from pg_locks l
    join pg_class c on c.oid = l.relation
    where l.locktype = 'relation' and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and c.relnamespace = 'pgflow'::regnamespace and l.mode <> 'AccessShareLock'
      and (c.relname like 'alias\_lock\_%' or c.relname in ('deployment_lock', 'rollout_lock'))
  ), waits as (
    select l.relname, count(*) as waiting, min(l.waitstart) as since from locks l where not l.granted group by l.relname
  ), held as (
    select l.pid, l.virtualtransaction, array_agg(distinct l.relname) as names, bool_or(l.mode <> 'RowShareLock') as deploys,
      coalesce(sum(w.waiting), 0) as waiting, min(w.since) as waited_since
    from locks l left join waits w on w.relname = l.relname
    where l.granted
    group by l.pid, l.virtualtransaction
  )
  select h.pid,
    case when h.pid is null then 'prepared transaction ' || coalesce(p.gid, '')
      else format('process %s (%s)', h.pid, concat_ws(', ', nullif(a.application_name, ''), 'role ' || a.usename)) end,
    coalesce(p.prepared, a.xact_start),
    array(select f.flow_alias from pgflow.flow_aliases f where pgflow._alias_lock(f.flow_alias) = any (h.names) order by f.flow_alias),
    h.deploys, h.waiting::bigint
  from held h
  left join pg_stat_activity a on a.pid = h.pid
  left join pg_prepared_xacts p on h.pid is null and '-1/' || p.transaction = h.virtualtransaction
  where h.pid is distinct from pg_backend_pid()
    and least(coalesce(p.prepared, a.xact_start), h.waited_since) < clock_timestamp() - interval '5 seconds'
  order by 3, 1;
$$;
