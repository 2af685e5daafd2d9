-- The started tasks of a queue. They are found by their messages, which a claim hides and which stay hidden, or are hidden again by the next claim that
-- reads them, until the task ends: tasks need no index on their status.
create or replace function pgflow._tasks_in_flight(p_queue_name text) returns setof pgflow.step_tasks
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_message_ids bigint[];
begin
  execute format(
    'select array(select q.msg_id from pgmq.%I q where q.vt > $1 and q.read_ct > 0)', pgmq.format_table_name(p_queue_name, 'q')
  ) using clock_timestamp() - interval '5 seconds' into v_message_ids;
  return query
    select t.*
    from unnest(v_message_ids) as m (message_id)
    cross join lateral (
      select t.* from pgflow.step_tasks t where t.queue_name = p_queue_name and t.message_id = m.message_id limit 1
    ) t
    where t.status = 'started';
end;
$$;
