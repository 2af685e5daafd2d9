-- start_tasks(flow_slug, msg_ids, worker_id) -> the records of the tasks claimed. Compatibility: for workers that poll
-- the queue of the default routing themselves. Messages without a queued task of the flow are ignored. Hides each
-- claimed message for its effective timeout + 2 s. The input of a root step that is not a map is {}: the run's input is
-- its flow_input. Raises foreign_key_violation for an unknown worker. Locks: tasks, skipping what is locked, then queue
-- rows.
create or replace function pgflow.start_tasks(flow_slug text, msg_ids bigint[], worker_id uuid)
returns setof pgflow.step_task_record
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_name text := lower(start_tasks.flow_slug collate "C");
  v_message_ids bigint[];
  v_claimed pgflow.message[];
begin
  if not exists (select from pgflow.workers w where w.worker_id = start_tasks.worker_id) then
    raise exception 'there is no worker %', start_tasks.worker_id using errcode = 'foreign_key_violation';
  end if;
  v_message_ids := array(
    select t.message_id
    from unnest(start_tasks.msg_ids) as m (message_id)
    cross join lateral (
      select t.flow_slug, t.message_id from pgflow.step_tasks t where t.queue_name = v_queue_name and t.message_id = m.message_id limit 1
    ) t
    where t.flow_slug = start_tasks.flow_slug
  );
  return query
    select c.flow_slug, c.run_id, c.step_slug, case when c.is_root then '{}' else c.input::jsonb end, c.msg_id, c.task_index,
      case when c.is_root then c.input::jsonb end
    from pgflow._claim_messages(v_queue_name, v_message_ids, start_tasks.worker_id, 1073741823, 1073741823) c
    where c.kind = 'task';
  select array_agg((v_queue_name, t.message_id, clock_timestamp() + make_interval(secs => t.claimed_timeout + 2::float8))::pgflow.message)
  into v_claimed
  from unnest(v_message_ids) as m (message_id)
  cross join lateral (
    select t.message_id, t.status, t.last_worker_id, t.started_at, t.claimed_timeout from pgflow.step_tasks t
      where t.queue_name = v_queue_name and t.message_id = m.message_id limit 1
  ) t
  where t.status = 'started' and t.last_worker_id = start_tasks.worker_id and t.started_at >= now();
  perform pgflow._set_visibility(v_claimed);
end;
$$;
