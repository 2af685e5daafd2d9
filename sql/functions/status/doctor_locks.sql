-- doctor_locks() -> findings (level, message, hint): sessions whose locks block starts of runs or deployments,
-- or the sessions of workers. Takes no locks.
create or replace function pgflow.doctor_locks() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with found (level, message, hint) as (
    select case when h.waiting > 0 then 'problem' else 'warning' end,
      format(
        '%s has held %s since %s%s', h.who,
        case
          when h.flow_aliases = '{}' then 'the lock of deployments or rollouts'
          else format(
            'the lock%s of alias%s %s%s', case when cardinality(h.flow_aliases) = 1 then '' else 's' end,
            case when cardinality(h.flow_aliases) = 1 then '' else 'es' end, array_to_string(h.flow_aliases[1:5], ', '),
            case when cardinality(h.flow_aliases) > 5 then format(' and %s more', cardinality(h.flow_aliases) - 5) else '' end
          )
        end,
        coalesce(date_trunc('second', h.since)::text, 'more than 5 s ago'),
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
      format('%s blocks sessions of workers since %s: %s', b.who, coalesce(date_trunc('second', b.since)::text, 'more than 5 s ago'),
        array_to_string(b.blocked, ', ')),
      pgflow._blocker_hint(b.pid)
    from pgflow._blockers() b
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok', 'no lock of runs, deployments or workers is held for long', null where not exists (select from found);
$$;
