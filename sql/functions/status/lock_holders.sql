-- lock_holders() -> one row for each session that has held locks under which runs are started and flows deployed for
-- more than 5 s, or for which somebody has waited so long: its process id (null for a prepared transaction), in words
-- who that is, since when its transaction is open (null if the owner of the schema must not see it: it was then watched
-- for 5 s), the aliases whose locks it holds, other than by starting runs, and how many sessions wait for it. An alias
-- shares its lock with others. Takes no locks. For people.
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
  ), seen as materialized (
    select h.*, p.gid, a.application_name, a.usename, coalesce(p.prepared, a.xact_start) as since
    from held h
    left join pg_stat_activity a on a.pid = h.pid
    left join pg_prepared_xacts p on h.pid is null and '-1/' || p.transaction = h.virtualtransaction
    where h.pid is distinct from pg_backend_pid()
  ), watched as materialized (
    select pgflow._lasting_transactions(array(
      select s.virtualtransaction from seen s where s.since is null and s.waited_since is null
    ), interval '5 seconds') as lasting
  )
  select s.pid,
    case when s.pid is null then 'prepared transaction ' || coalesce(s.gid, '')
      else format('process %s (%s)', s.pid, concat_ws(', ', nullif(s.application_name, ''), 'role ' || s.usename)) end,
    s.since,
    array(select f.flow_alias from pgflow.flow_aliases f where pgflow._alias_lock(f.flow_alias) = any (s.names) order by f.flow_alias),
    s.deploys, s.waiting::bigint
  from seen s
  cross join watched w
  where s.virtualtransaction = any (w.lasting)
    or least(s.since, s.waited_since) < clock_timestamp() - interval '5 seconds'
  order by 3, 1;
$$;
