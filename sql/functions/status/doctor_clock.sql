-- doctor_clock() -> findings (level, message, hint): jumps of the clock that heartbeats have found, and heartbeats that
-- a clock ahead of this one has written, as long as their workers hold tasks. Takes no locks.
create or replace function pgflow.doctor_clock() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with found (level, message, hint) as (
    select 'warning',
      format('the database''s clock jumped by %s at %s, or the server or the host of worker %s stood still',
        date_trunc('second', w.clock_jumped_by), date_trunc('second', w.clock_jumped_at), w.worker_id),
      'keep the clock of the server synchronized in small steps; if it or a host was frozen (suspended, a snapshot, SIGSTOP), find out by what; '
        'for 30 s after a jump luaflow does not rely on the clock'
    from (
      select w.* from pgflow.workers w where pgflow._is_near(w.clock_jumped_at, interval '1 hour') order by w.clock_jumped_at desc limit 1
    ) w
    union all
    select 'warning',
      format('the last heartbeat of %s worker%s lies in the future, up to %s', count(*), case when count(*) = 1 then '' else 's' end,
        date_trunc('second', max(w.last_heartbeat_at))),
      'the database''s clock was set back; such a worker counts as dead until its next heartbeat'
    from pgflow.workers w
    where w.stopped_at is null and w.last_heartbeat_at > clock_timestamp() + interval '30 seconds'
      and w.worker_id in (select t.worker_id from pgflow.worker_tasks() t)
    having count(*) > 0
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok', 'no worker saw the clock jump within the last hour', null where not exists (select from found);
$$;
