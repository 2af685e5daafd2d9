-- doctor_queues() -> findings (level, message, hint) on the queues that deployments created: trust, lost tables, queues
-- of active versions or with messages that no worker serves, workers that lack steps, messages that block others. Reads
-- every queue whole; takes no locks.
create or replace function pgflow.doctor_queues() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with queues as (
    select q.*, c.oid is not null as there
    from pgflow.queue_status q
    left join pg_class c on c.relnamespace = to_regnamespace('pgmq') and c.relname = 'q_' || q.queue_name
  ),
  rollout as materialized (
    select r.function_name, r.queue_names from pgflow.rollout_status() r
  ),
  blockers as materialized (
    select * from pgflow._blockers()
  ),
  found (level, message, hint) as (
    select 'problem', coalesce('queue ' || t.queue_name || ' must not be trusted: ', '') || t.reason, t.remedy from pgflow.trust_faults() t
    union all
    select 'problem', format('queue %s has lost its table', q.queue_name),
      'start or restart a worker whose flows use it: its deployment creates the table and the messages again'
    from queues q
    where not q.there
    union all
    select case when r.functions is not null or (a.list is null and q.oldest_age < interval '1 minute') then 'warning' else 'problem' end,
      format('queue %s ', q.queue_name)
        || case when q.depth > 0 then format('holds %s message%s and ', q.depth, case when q.depth = 1 then '' else 's' end) else '' end
        || 'has no live worker'
        || coalesce('; active on it: ' || a.list, '') || case when w.number > 0 then '; workers that wait behind the fence: ' || w.number else '' end
        || coalesce('; they would be refused: ' || w.refusals, '') || coalesce('; the sessions of its workers wait for ' || b.who, ''),
      case
        when b.pid is not null then pgflow._blocker_hint(b.pid)
        when r.functions is not null then format('a rollout of %s is open: luaflow rollout status', r.functions)
        else format('start one: luaflow worker --queue %s PATH', q.queue_name)
      end
    from queues q
    cross join lateral (
      select string_agg(r.function_name, ', ' order by r.function_name) as functions from rollout r where q.queue_name = any (r.queue_names)
    ) r
    cross join lateral (
      select string_agg(distinct a.active_flow_slug, ', ') as list
      from pgflow.steps s
      join pgflow.flows f on f.flow_slug = s.flow_slug and f.is_deployed
      join pgflow.flow_aliases a on a.active_flow_slug = s.flow_slug
      where s.queue_name = q.queue_name
    ) a
    cross join lateral (
      select count(*) as number, string_agg(pgflow._refusal_text(w.answer), '; ') as refusals
      from pgflow._waiting_workers() w where w.queue_name = q.queue_name
    ) w
    left join lateral (select b.* from blockers b where 'luaflow worker ' || q.queue_name = any (b.blocked) limit 1) b on true
    where q.live_workers = 0 and q.there and (q.depth > 0 or a.list is not null)
    union all
    select 'problem',
      format('worker %s of queue %s (function %s) does not handle %s', l.worker_id, q.queue_name, l.function_name, array_to_string(l.pairs, ', ')),
      'restart it with flows that have them: it stops at the first such task'
    from queues q
    cross join lateral jsonb_to_recordset(q.lacking_workers) l (worker_id uuid, function_name text, pairs text[])
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
    union all
    select 'warning', format('queue %s numbers its messages near the end of all numbers: %s', q.queue_name, n.last_id),
      format('messages were written to its table with such numbers, not sent: stop what does that; to number as before: select setval(%L, %s)',
        'pgmq.' || pgmq.format_table_name(q.queue_name, 'q') || '_msg_id_seq', coalesce(pgflow._known_message_id(q.queue_name, n.far_id), 1))
    from queues q
    cross join lateral (
      select l.last_id, pgflow._far_message_id(0) as far_id
      from (select case when q.depth is not null then pgflow._last_message_id(q.queue_name) end as last_id) l
    ) n
    where n.last_id >= n.far_id
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok', format('%s queue%s, %s message%s', count(*), case when count(*) = 1 then '' else 's' end, coalesce(sum(q.depth), 0),
    case when sum(q.depth) = 1 then '' else 's' end), null
  from queues q
  having not exists (select from found);
$$;
