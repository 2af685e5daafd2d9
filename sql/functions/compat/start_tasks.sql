-- start_tasks(flow_slug, msg_ids, worker_id) -> the records of the tasks claimed. Compatibility: for workers that poll a
-- queue themselves. Messages without a queued task of the flow are ignored. The queue is the one in which they have such
-- tasks; if there are several, for message ids are unique in one queue alone, it is the worker's own. Hides each claimed
-- message for its effective timeout + 2 s. The input of a root step that is not a map is {}: the run's input is its
-- flow_input. Raises foreign_key_violation for an unknown worker, ambiguous_function if none of several queues is the
-- worker's.
-- Locks: tasks, skipping what is locked, then queue rows.
create or replace function pgflow.start_tasks(flow_slug text, msg_ids bigint[], worker_id uuid)
returns setof pgflow.step_task_record
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_names text[] := array(
    select q.queue_name
    from (select distinct s.queue_name from pgflow.steps s where s.flow_slug = start_tasks.flow_slug) q
    where exists (
      select from unnest(start_tasks.msg_ids) as m (message_id)
      cross join lateral (
        select t.flow_slug, t.status from pgflow.step_tasks t where t.queue_name = q.queue_name and t.message_id = m.message_id limit 1
      ) t
      where t.flow_slug = start_tasks.flow_slug and t.status = 'queued'
    )
    order by q.queue_name
  );
begin
  if cardinality(v_queue_names) > 1 then
    v_queue_names := array(
      select w.queue_name from pgflow.workers w
      where w.worker_id = start_tasks.worker_id and w.queue_name = any (v_queue_names)
    );
    if v_queue_names = '{}' then
      raise exception 'messages % of flow % are in several queues', array_to_string(start_tasks.msg_ids, ', '), start_tasks.flow_slug
        using errcode = 'ambiguous_function',
          hint = 'name the queue that they were read from: pgflow.start_tasks_of_queue(flow_slug, msg_ids, worker_id, queue_name)';
    end if;
  end if;
  return query
    select s.* from pgflow.start_tasks_of_queue(
      start_tasks.flow_slug, start_tasks.msg_ids, start_tasks.worker_id, coalesce(v_queue_names[1], lower(start_tasks.flow_slug collate "C"))
    ) s;
end;
$$;
