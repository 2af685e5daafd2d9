-- queue_figures(queue_name) -> one row of what pgflow.queue_status shows of a queue: how many messages it holds, how
-- many of them are visible now, the age of the oldest, how many tasks of it are started, its live workers (not stopped,
-- not deprecated, a heartbeat in the last 30 s), and which 'flow.step' can still appear on it although a live worker
-- lacks it, or no worker lives; if only workers live that never deployed, as pgflow's own, none is known to lack it.
-- Nulls for the messages of a queue that is not recorded, or has no table that is trusted. Reads the whole queue.
create or replace function pgflow.queue_figures(p_queue_name text)
returns table (depth bigint, visible bigint, oldest_age interval, in_flight bigint, live_workers int, uncovered_pairs text[])
language plpgsql volatile security definer rows 1
set search_path = pg_catalog, pg_temp
as $$
declare
  v_figures text[];
  v_only_undeployed boolean := (
    select coalesce(bool_and(w.generation = 0), false) from pgflow.workers w
    where w.queue_name = p_queue_name and w.deprecated_at is null and pgflow._is_alive(w)
  );
begin
  live_workers := (
    select count(*) from pgflow.workers w where w.queue_name = p_queue_name and w.deprecated_at is null and pgflow._is_alive(w)
  );
  uncovered_pairs := array(
    select p.flow_slug || '.' || p.step_slug from pgflow._reachable_pairs(p_queue_name) p
    where not pgflow._is_handled(p_queue_name, p.flow_slug, p.step_slug) and not v_only_undeployed
    order by 1
  );
  if pgflow._queue_exists(p_queue_name) then
    v_figures := pgflow._look(format(
      'select array[count(*)::text, (count(*) filter (where q.vt <= clock_timestamp()))::text,
        (max(greatest(clock_timestamp() - q.enqueued_at, interval ''0'')) filter (where isfinite(q.enqueued_at)))::text] from pgmq.%I q',
      pgmq.format_table_name(p_queue_name, 'q')
    ));
    depth := v_figures[1];
    visible := v_figures[2];
    oldest_age := v_figures[3];
    in_flight := (select count(*) from pgflow._tasks_in_flight(p_queue_name));
  end if;
  return next;
end;
$$;
