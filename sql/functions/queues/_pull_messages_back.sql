-- Moves the hidden messages of a queue nearer by as much as the clock was set back, once for each time that a worker's
-- heartbeat has found that in the last minute. Otherwise tasks that wait for their next attempt would wait for the
-- clock to catch up.
-- Locks: the queue rows, leaving those that are locked. The caller has the try-lock of the queue's recovery.
create or replace function pgflow._pull_messages_back(p_queue_name text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_jump interval := (
    select min(w.clock_jumped_by) from pgflow.workers w
    where w.clock_jumped_by < interval '0' and pgflow._is_near(w.clock_jumped_at, interval '1 minute')
  );
begin
  if v_jump is null or exists (
    select from pgflow.recoveries c where c.queue_name = p_queue_name and pgflow._is_near(c.pulled_back_at, interval '2 minutes')
  ) then
    return;
  end if;
  execute format(
    $update$
      with hidden as (select q.msg_id from pgmq.%1$I q where q.vt > clock_timestamp() for update skip locked)
      update pgmq.%1$I q set vt = greatest(q.vt + $1, clock_timestamp()) from hidden h where q.msg_id = any (array[h.msg_id])
    $update$, pgmq.format_table_name(p_queue_name, 'q')
  ) using v_jump;
  insert into pgflow.recoveries (queue_name, pulled_back_at) values (p_queue_name, clock_timestamp())
  on conflict (queue_name) do update set pulled_back_at = excluded.pulled_back_at;
end;
$$;
