-- worker_tasks(): how many started tasks each worker holds, dead ones too; no row for a worker without any. They are found by their messages, each of which was
-- read at least once: the cost grows with what is in the queues, not with what has ended. Takes no locks. For people.
create or replace function pgflow.worker_tasks() returns table (worker_id uuid, tasks_in_flight bigint)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_name text;
  v_message_ids bigint[];
begin
  for v_queue_name in select q.queue_name from pgflow.queues q where pgflow._queue_exists(q.queue_name) loop
    execute format('select array(select q.msg_id from pgmq.%I q where q.read_ct > 0)', pgmq.format_table_name(v_queue_name, 'q')) into v_message_ids;
    return query
      select t.last_worker_id, count(*) from unnest(v_message_ids) as m (message_id)
      cross join lateral (
        select t.status, t.last_worker_id from pgflow.step_tasks t where t.queue_name = v_queue_name and t.message_id = m.message_id limit 1
      ) t
      where t.status = 'started'
      group by t.last_worker_id;
  end loop;
end;
$$;
