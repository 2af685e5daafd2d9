-- Returns the started tasks of a queue: tasks need no index on their status, since their messages were read at least
-- once. Reads every message that is waiting or hidden; given an instant, only those hidden until then or later, among
-- which are all that a worker has read since. A task that lost its message is not among them until recovery has sent it
-- again (_resend_lost_messages).
create or replace function pgflow._tasks_in_flight(p_queue_name text, p_hidden_until timestamptz default '-infinity') returns setof pgflow.step_tasks
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_message_ids bigint[] := pgflow._look(format(
    'select array(select q.msg_id from pgmq.%I q where q.vt >= %L and q.read_ct > 0)', pgmq.format_table_name(p_queue_name, 'q'), p_hidden_until
  ));
begin
  return query
    select t.*
    from unnest(v_message_ids) as m (message_id)
    cross join lateral (
      select t.* from pgflow.step_tasks t where t.queue_name = p_queue_name and t.message_id = m.message_id limit 1
    ) t
    where t.status = 'started';
end;
$$;
