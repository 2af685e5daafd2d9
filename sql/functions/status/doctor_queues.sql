-- doctor_queues() -> findings (level, message, hint) on the queues that deployments created: trust, lost tables, missing
-- workers, uncovered pairs, messages that block others. Reads every queue whole; takes no locks.
create or replace function pgflow.doctor_queues() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with queues as (
    select q.*, c.oid is not null as there
    from pgflow.queue_status q
    left join pg_class c on c.relnamespace = to_regnamespace('pgmq') and c.relname = 'q_' || q.queue_name
  ),
  rollout as (
    select count(*) > 0 as open from pgflow.rollout_status()
  ),
  found (level, message, hint) as (
    select 'problem', coalesce('queue ' || t.queue_name || ' must not be trusted: ', '') || t.reason, t.remedy from pgflow.trust_faults() t
    union all
    select 'problem', format('queue %s has lost its table', q.queue_name),
      'start or restart a worker whose flows use it: its deployment creates the table and the messages again'
    from queues q
    where not q.there
    union all
    select case when r.open or q.oldest_age < interval '1 minute' then 'warning' else 'problem' end,
      format('queue %s holds %s message%s and has no live worker', q.queue_name, q.depth, case when q.depth = 1 then '' else 's' end),
      case when r.open then 'a rollout is open: luaflow rollout status' else format('start one: luaflow worker --queue %s PATH', q.queue_name) end
    from queues q
    cross join rollout r
    where q.live_workers = 0 and q.depth > 0
    union all
    select 'problem', format('a live worker of queue %s does not handle %s', q.queue_name, array_to_string(q.uncovered_pairs, ', ')),
      'restart it with flows that have them: it stops at the first such task'
    from queues q
    where q.live_workers > 0 and q.uncovered_pairs <> '{}'
    union all
    select 'warning', format('queue %s: %s', q.queue_name, g.message), g.hint
    from queues q
    cross join lateral pgflow.queue_faults(case when q.depth is not null then q.queue_name end) f
    cross join lateral (
      values
        (f.far_messages, 'messages are hidden for more than a day longer than a start delay: ' || f.far_messages,
          'a worker of the queue makes those visible that no retry explains, within 10 s: see its log'),
        (f.foreign_messages, 'messages that belong to no task are the next to be read: ' || f.foreign_messages,
          'a worker archives them when they are 60 s old; stop what sends them'),
        (f.suspects, 'tasks that ended their executor, or lost their transaction, and are retried: ' || f.suspects,
          'the logs of its workers name them')
    ) g (number, message, hint)
    where q.depth is not null and q.live_workers > 0 and g.number > 0
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok', format('%s queue%s, %s message%s', count(*), case when count(*) = 1 then '' else 's' end, coalesce(sum(q.depth), 0),
    case when sum(q.depth) = 1 then '' else 's' end), null
  from queues q
  having not exists (select from found);
$$;
