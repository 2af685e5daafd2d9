-- doctor_invariants(in_full) -> findings (level, message, hint) of check_invariants(in_full): five at most of what is
-- inconsistent, and, by queue, tasks without a message and messages without a task, which are caused from outside. Lost
-- queues are left to doctor_queues.
-- Takes no locks.
create or replace function pgflow.doctor_invariants(p_in_full boolean) returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with rows as materialized (
    select i.*, split_part(i.subject, ' ', 1) as queue_name from pgflow.check_invariants(p_in_full) i
  ),
  broken as (
    select r.*, count(*) over () as total, row_number() over () as n
    from rows r
    where r.invariant not in ('active task has a message', 'message belongs to a task', 'queue exists')
  ),
  messages as (
    select r.invariant, r.queue_name, count(*) as number,
      exists (
        select from pgflow.workers w where w.queue_name = r.queue_name and w.deprecated_at is null and pgflow._is_alive(w)
      ) as has_worker
    from rows r
    where r.invariant in ('active task has a message', 'message belongs to a task')
    group by r.invariant, r.queue_name
  ),
  found (level, message, hint) as (
    select case when m.has_worker then 'warning' else 'problem' end,
      format('queue %s: tasks without a message: %s; the queue was purged, or messages were deleted or archived', m.queue_name, m.number),
      case
        when m.has_worker then 'a worker of the queue sends them again: it begins within 10 s and checks up to 2,000 open tasks a second; '
        else format('start a worker of the queue, which sends them again: luaflow worker --queue %s PATH; ', m.queue_name)
      end || 'find out what purges the queue (pgmq.purge_queue) or deletes messages'
    from messages m
    where m.invariant = 'active task has a message'
    union all
    select 'warning', format('queue %s: messages that belong to no task: %s', m.queue_name, m.number),
      case when m.has_worker then 'a worker archives them' else 'a worker of the queue, when one runs, archives them' end
        || ' when they are 60 s old, up to 1,000 at a time; stop what sends them'
    from messages m
    where m.invariant = 'message belongs to a task'
    union all
    select 'problem',
      format('%s: %s: %s%s', b.invariant, b.subject, b.detail, case when b.n = 5 and b.total > 5 then format(' (and %s more)', b.total - 5) else '' end),
      format('select * from pgflow.check_invariants(%s) lists all; if nobody changed the tables by hand, report a bug of luaflow',
        case when p_in_full then 'true' else '' end)
    from broken b
    where b.n <= 5
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok',
    case when p_in_full then 'the data is consistent' else 'the data of open runs is consistent; --full checks ended runs too' end, null
  where not exists (select from found);
$$;
