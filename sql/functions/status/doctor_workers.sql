-- doctor_workers() -> findings (level, message, hint) on the workers that have not stopped: silence, refused reloads,
-- the troubles that they report, overdue tasks, files that disagree. Its cost grows with what is in the queues; takes no locks.
create or replace function pgflow.doctor_workers() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with workers as (
    select w.*, pgflow._is_alive(w) as lives, date_trunc('second', clock_timestamp() - w.last_heartbeat_at) as silence
    from pgflow.workers w
    where w.stopped_at is null
  ),
  blockers as materialized (
    select * from pgflow._blockers()
  ),
  holders as materialized (
    select * from pgflow._table_holder()
  ),
  found (level, message, hint) as (
    select case when l.others > 0 then 'warning' else 'problem' end,
      format(
        'worker %s of queue %s sent its last heartbeat %s and holds %s started task%s', w.worker_id, w.queue_name,
        case when w.silence < interval '0' then 'in the future' else w.silence || ' ago' end, t.tasks_in_flight,
        case when t.tasks_in_flight = 1 then '' else 's' end
      ),
      case
        when b.pid is not null then format('the sessions of the queue''s workers wait for %s: %s', b.who, pgflow._blocker_hint(b.pid))
        when l.others > 0 then 'another worker of the queue recovers its tasks within a minute'
        else format('start a worker of the queue, which recovers its tasks: luaflow worker --queue %s PATH', w.queue_name)
      end
    from workers w
    join pgflow.worker_tasks() t on t.worker_id = w.worker_id
    cross join lateral (
      select count(*) as others from workers o where o.lives and o.deprecated_at is null and o.queue_name = w.queue_name
    ) l
    left join lateral (select b.* from blockers b where 'luaflow worker ' || w.queue_name = any (b.blocked) limit 1) b on true
    where not w.lives
    union all
    select 'warning',
      format('worker %s of queue %s still serves its previous flows because its last reload failed: %s', w.worker_id, w.queue_name, w.last_reload_error),
      format('correct what it names, then run: luaflow reload %s', w.queue_name)
    from workers w
    where w.lives and w.last_reload_error is not null
      and not exists (select from pgflow.worker_troubles t where t.worker_id = w.worker_id and t.trouble = 'deployment')
    union all
    select case when t.trouble in ('descriptors', 'connections', 'held_back', 'deployment', 'memory') then 'warning' else 'problem' end,
      format('worker %s of queue %s, since %s: %s', w.worker_id, w.queue_name, date_trunc('second', t.since), pgflow._trouble_text(t)),
      case
        when t.error ~ 'too many (connections|clients)|remaining connection slots|not accept any more connections'
          then 'raise max_connections of the server, or the limit of the role or database, or run fewer workers'
        when t.error ~ 'no answer within|statement timeout|lock timeout' and b.pid is not null
          then format('the sessions of the queue''s workers wait for %s: %s', b.who, pgflow._blocker_hint(b.pid))
        when t.error ~ 'no answer within|statement timeout|lock timeout' and h.pid is not null
          then format('%s: %s', h.who, pgflow._blocker_hint(h.pid))
        when t.error ~ 'no answer within|statement timeout|lock timeout' then 'it takes too long and is retried with more time: '
          'look for slow triggers on tables of schema pgflow, for locks, and at its wait event in pg_stat_activity'
        when t.trouble = 'deployment' and t.error ~ '\(luaflow worker ' then 'that is another worker, which deploys; this one retries'
        when t.trouble = 'deployment' then 'end that transaction: until then the worker claims with its previous flows and retries'
        when t.trouble = 'memory' then 'their tasks end by their timeouts (luaflow workers); cancel their runs, or give the machine more memory'
        when t.trouble = 'unrecorded' then 'correct what the error names; the worker keeps the results and retries'
        when t.trouble = 'recovery' then 'correct what the error names; until then the tasks of dead workers are not returned to their queues'
        when t.trouble = 'executors' then 'its log has the tasks and what the executors printed: correct the handlers or the modules'
        when t.trouble = 'descriptors' then 'raise the hard limit of open files of the worker (ulimit -Hn, or LimitNOFILE of its systemd unit) and restart it'
        when t.trouble = 'held_back' then format('once the files are complete: luaflow reload %s, or SIGHUP', w.queue_name)
        when t.trouble = 'connections' then format(
          'look in pg_stat_activity at what its handlers do (application_name luaflow handler %s), or raise --handler-connections', w.queue_name
        )
        else 'correct what the error names; the worker retries'
      end
    from workers w
    join pgflow.worker_troubles t on t.worker_id = w.worker_id
    left join lateral (
      select b.* from blockers b where array['luaflow worker ' || w.queue_name, 'luaflow handler ' || w.queue_name] && b.blocked limit 1
    ) b on true
    left join holders h on true
    where w.lives or t.trouble = 'heartbeat'
    union all
    select 'warning',
      format('worker %s of queue %s holds %s task%s past their timeout', w.worker_id, w.queue_name, cardinality(w.overdue_tasks),
        case when cardinality(w.overdue_tasks) = 1 then '' else 's' end),
      'they are not returned to the queue while the worker holds them; its log shows what it waits for'
    from workers w
    where w.lives and cardinality(w.overdue_tasks) > 0
    union all
    select 'warning',
      format('workers %s of queue %s and %s of queue %s have files that disagree about the active version of alias %s (%s, %s): the next restart or '
        'reload of either moves it', d.worker_id, d.queue_name, d.other_id, d.other_queue, d.flow_alias, d.active_flow_slug, d.other_flow_slug),
      format('give both the same files, then run: luaflow reload %s', concat_ws(' ', d.queue_name, nullif(d.other_queue, d.queue_name)))
    from pgflow._disputed_aliases() d
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok',
    format(
      'worker %s of queue %s: generation %s still holds %s task%s, the oldest since %s, for %s at most; its memory is %s', w.worker_id, w.queue_name,
      o.generation, o.tasks, case when o.tasks = 1 then '' else 's' end, date_trunc('second', o.oldest_since),
      greatest(date_trunc('second', o.deadline - clock_timestamp()), interval '0'), pg_size_pretty(o.memory)
    ), null
  from workers w
  join pgflow.old_generations o on o.worker_id = w.worker_id
  where w.lives
  union all
  select 'ok', format('%s live worker%s', count(*) filter (where w.lives), case when count(*) filter (where w.lives) = 1 then '' else 's' end), null
  from workers w
  having not exists (select from found);
$$;
