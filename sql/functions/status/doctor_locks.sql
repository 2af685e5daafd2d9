-- doctor_locks() -> findings (level, message, hint): sessions whose locks block starts of runs or deployments,
-- or the sessions of workers, transactions that have been open for an hour, and that the owner of the schema cannot see
-- since when those of others are. Takes no locks.
create or replace function pgflow.doctor_locks() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with found (level, message, hint) as (
    select case when h.waiting > 0 then 'problem' else 'warning' end,
      format(
        '%s has held %s %s%s', h.who,
        case
          when h.flow_aliases = '{}' then 'the lock of deployments or rollouts'
          else format(
            'the lock%s of alias%s %s%s', case when cardinality(h.flow_aliases) = 1 then '' else 's' end,
            case when cardinality(h.flow_aliases) = 1 then '' else 'es' end, array_to_string(h.flow_aliases[1:5], ', '),
            case when cardinality(h.flow_aliases) > 5 then format(' and %s more', cardinality(h.flow_aliases) - 5) else '' end
          )
        end,
        coalesce('since ' || date_trunc('second', h.since), 'for more than 5 s'),
        case when h.waiting > 0 then format('; sessions that wait for it: %s', h.waiting) else '' end
      ),
      format(
        '%s: %s',
        case
          when h.deploys then 'it deploys or changes flows, so no run can start'
          else 'its open transaction has called start_flow, so workers cannot deploy'
        end,
        case
          when h.pid is null then 'end it with commit prepared or rollback prepared'
          else format('commit its transaction, or end it: select pg_terminate_backend(%s)', h.pid)
        end
      )
    from pgflow.lock_holders() h
    union all
    select 'problem',
      format('%s blocks sessions of workers %s: %s', b.who, coalesce('since ' || date_trunc('second', b.since), 'for more than 5 s'),
        array_to_string(b.blocked, ', ')),
      pgflow._blocker_hint(b.pid)
    from pgflow._blockers() b
    union all
    select 'warning',
      format('a transaction of process %s (%s) has been open for %s: rows deleted since then cannot be vacuumed', a.pid,
        coalesce(nullif(a.application_name, ''), a.usename), date_trunc('second', clock_timestamp() - a.xact_start)),
      format('end it: select pg_terminate_backend(%s)', a.pid)
    from pg_stat_activity a
    where a.datname = current_database() and a.xact_start < clock_timestamp() - interval '1 hour' and a.backend_type = 'client backend'
    union all
    select 'warning', format('a prepared transaction, %s, has been open since %s', p.gid, date_trunc('second', p.prepared)),
      'end it with commit prepared or rollback prepared'
    from pg_prepared_xacts p
    where p.database = current_database() and p.prepared < clock_timestamp() - interval '1 hour'
    union all
    select 'warning',
      format('role %s, which owns the functions, cannot see since when transactions of other roles are open: those that are open '
        'for an hour are not reported, and locks of deployments only if they are held while doctor watches', current_user),
      format('have an administrator run: grant pg_read_all_stats to %I', current_user)
    where not pg_has_role('pg_read_all_stats', 'usage')
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok', 'no lock of runs, deployments or workers is held for long, and no transaction', null where not exists (select from found);
$$;
