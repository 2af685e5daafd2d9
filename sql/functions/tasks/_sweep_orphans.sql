-- Looks at the next thousand visible messages of a queue: archives those without a task that are older than 60 s, or
-- from as far in the future (which it returns), and hides younger ones for 5 s. So messages that nobody owns do not
-- delay the tasks behind them by more than their number. The others are not touched.
-- Locks: those messages, skipping what is locked, in one statement; what they are is decided in the next.
create or replace function pgflow._sweep_orphans(p_queue_name text) returns setof bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_message_ids bigint[];
  v_enqueued_at timestamptz[];
  v_young pgflow.message[];
  v_old pgflow.message[];
begin
  execute format(
    'select array_agg(m.msg_id), array_agg(m.enqueued_at) from (
      select q.msg_id, q.enqueued_at from pgmq.%I q where q.vt <= clock_timestamp() order by q.msg_id limit 1000 for update skip locked
    ) m', pgmq.format_table_name(p_queue_name, 'q')
  ) into v_message_ids, v_enqueued_at;
  select array_agg((p_queue_name, o.message_id, clock_timestamp() + interval '5 seconds')::pgflow.message) filter (where o.is_young),
    array_agg((p_queue_name, o.message_id, null)::pgflow.message) filter (where not o.is_young)
  into v_young, v_old
  from (
    select m.message_id, pgflow._is_near(m.enqueued_at, interval '60 seconds') as is_young
    from unnest(v_message_ids, v_enqueued_at) as m (message_id, enqueued_at)
    left join lateral (select t.run_id from pgflow.step_tasks t where t.queue_name = p_queue_name and t.message_id = m.message_id limit 1) t on true
    where t.run_id is null
  ) o;
  perform pgflow._set_visibility(v_young);
  perform pgflow._archive_messages(v_old);
  return query select m.message_id from unnest(v_old) m;
end;
$$;
