-- queue_faults(queue_name) -> one row of what stands in a queue's way: messages that are hidden for more than a day and
-- longer than its steps' start delays (1,000 at most); messages that belong to no task among the next 100 to be read;
-- tasks under suspicion of having ended their executor, or that lost the connection of their transaction, among 10,000
-- that were read. Raises undefined_table for a queue that is not recorded, or has no table that is trusted. Takes no
-- locks. For people.
create or replace function pgflow.queue_faults(p_queue_name text) returns table (far_messages bigint, foreign_messages bigint, suspects bigint)
language plpgsql volatile strict security definer rows 1
set search_path = pg_catalog, pg_temp
as $$
declare
  v_start_delay int := (select coalesce(max(s.opt_start_delay), 0) from pgflow.steps s where s.queue_name = p_queue_name);
begin
  if not pgflow._queue_exists(p_queue_name) then
    raise exception 'queue % cannot be read: luaflow does not know it, its table is missing, or its table is not trusted', quote_literal(p_queue_name)
      using errcode = 'undefined_table', hint = 'list the queues with luaflow queues, and find the fault with luaflow doctor';
  end if;
  return query execute format(
    $query$
      select
        (select count(*) from (select from pgmq.%1$I q where q.vt > $2 limit 1000) f),
        (
          select count(*) from (select q.msg_id from pgmq.%1$I q where q.vt <= clock_timestamp() order by q.msg_id limit 100) h
          where not exists (select from pgflow.step_tasks t where t.queue_name = $1 and t.message_id = h.msg_id)
        ),
        (
          select count(*) from (select q.msg_id from pgmq.%1$I q where q.read_ct > 0 limit 10000) r
          cross join lateral (
            select t.status, t.suspicion, t.lost_transactions from pgflow.step_tasks t where t.queue_name = $1 and t.message_id = r.msg_id limit 1
          ) t
          where t.status in ('queued', 'started') and greatest(t.suspicion, t.lost_transactions) > 0
        )
    $query$, pgmq.format_table_name(p_queue_name, 'q')
  ) using p_queue_name, clock_timestamp() + greatest(interval '1 day', make_interval(secs => v_start_delay)) + interval '1 minute';
end;
$$;
