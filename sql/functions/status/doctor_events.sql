-- doctor_events() -> one finding (level, message, hint): whether events of runs could not be sent within the last hour.
-- Takes no locks.
create or replace function pgflow.doctor_events() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  select case when f.recent then 'warning' else 'ok' end,
    case when f.recent then format('events of runs could not be sent, last at %s: %s', f.failed_at, f.message)
      else 'no event has failed within the last hour' end,
    case when f.recent then 'correct realtime.send and the tables that it writes to; runs continue without events' end
  from (
    select date_trunc('second', e.failed_at) as failed_at, e.message, e.failed_at > clock_timestamp() - interval '1 hour' as recent
    from pgflow.event_failures e
  ) f;
$$;
