-- start_tasks_of_queue(flow_slug, msg_ids, worker_id, queue_name) -> the records of the tasks claimed: start_tasks for messages
-- that were read from the given queue, for flows whose steps are routed to several. An id counts once. A message that nobody has read counts
-- as read from now on: tasks in flight are found by that.
-- Raises foreign_key_violation for an unknown worker. Locks: as start_tasks_of_queue.
create or replace function pgflow.start_tasks_of_queue(flow_slug text, msg_ids bigint[], worker_id uuid, queue_name text)
returns setof pgflow.step_task_record
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_name text := lower(start_tasks_of_queue.queue_name collate "C");
  v_message_ids bigint[];
  v_claimed pgflow.message[];
begin
  if not exists (select from pgflow.workers w where w.worker_id = start_tasks_of_queue.worker_id) then
    raise exception 'there is no worker %', start_tasks_of_queue.worker_id using errcode = 'foreign_key_violation';
  end if;
  v_message_ids := array(
    select t.message_id
    from (select distinct m.message_id from unnest(start_tasks_of_queue.msg_ids) as m (message_id)) m
    cross join lateral (
      select t.flow_slug, t.message_id from pgflow.step_tasks t where t.queue_name = v_queue_name and t.message_id = m.message_id limit 1
    ) t
    where t.flow_slug = start_tasks_of_queue.flow_slug
  );
  return query
    select c.flow_slug, c.run_id, c.step_slug, case when c.is_root then '{}' else c.input::jsonb end, c.msg_id, c.task_index,
      case when c.is_root then c.input::jsonb end
    from pgflow._claim_messages(v_queue_name, v_message_ids, start_tasks_of_queue.worker_id, 1073741823, 1073741823) c
    where c.kind = 'task';
  select array_agg((v_queue_name, t.message_id, clock_timestamp() + make_interval(secs => t.claimed_timeout + 2::float8))::pgflow.message)
  into v_claimed
  from unnest(v_message_ids) as m (message_id)
  cross join lateral (
    select t.message_id, t.status, t.last_worker_id, t.started_at, t.claimed_timeout from pgflow.step_tasks t
      where t.queue_name = v_queue_name and t.message_id = m.message_id limit 1
  ) t
  where t.status = 'started' and t.last_worker_id = start_tasks_of_queue.worker_id and t.started_at >= now();
  perform pgflow._set_visibility(v_claimed);
  if v_claimed is not null then
    execute format('update pgmq.%I q set read_ct = 1 where q.msg_id = any ($1) and q.read_ct = 0', pgmq.format_table_name(v_queue_name, 'q'))
      using array(select c.message_id from unnest(v_claimed) c);
  end if;
end;
$$;
