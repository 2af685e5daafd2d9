-- Fails for good the queued tasks of the given messages, which no claim can ever take, each with its error message;
-- their step's when_exhausted applies. A task whose run is locked is left for a later claim. Returns those that it has
-- failed. Locks: runs, skipping what is locked; then as fail_tasks.
create or replace function pgflow._fail_unclaimed_tasks(p_queue_name text, p_message_ids bigint[], p_messages text[])
returns table (flow_slug text, run_id uuid, step_slug text, task_index int, msg_id bigint, message text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_run_ids uuid[];
  v_step_slugs text[];
  v_task_indexes int[];
  v_messages text[];
begin
  v_run_ids := array(
    select t.run_id
    from unnest(p_message_ids) as m (message_id)
    cross join lateral (select t.run_id from pgflow.step_tasks t where t.queue_name = p_queue_name and t.message_id = m.message_id limit 1) t
  );
  v_run_ids := array(
    select r.run_id from pgflow.runs r where r.run_id = any (v_run_ids) and r.status = 'started' order by r.run_id for update skip locked
  );
  select array_agg(t.run_id), array_agg(t.step_slug), array_agg(t.task_index), array_agg(format('the input of step %s %s', t.step_slug, m.message))
  into v_run_ids, v_step_slugs, v_task_indexes, v_messages
  from unnest(p_message_ids, p_messages) as m (message_id, message)
  cross join lateral (
    select t.run_id, t.step_slug, t.task_index from pgflow.step_tasks t
    where t.queue_name = p_queue_name and t.message_id = m.message_id and t.status = 'queued' limit 1
  ) t
  where (t.run_id in (select u.run_id from unnest(v_run_ids) as u (run_id))) is true;
  if v_run_ids is null then
    return;
  end if;
  perform pgflow._end_exhausted_tasks(v_run_ids, v_step_slugs, v_task_indexes, v_messages, pgflow._judge_failures(
    v_run_ids, v_step_slugs, v_task_indexes, array_fill('done'::text, array[cardinality(v_run_ids)]),
    array_fill(true, array[cardinality(v_run_ids)]), array_fill(false, array[cardinality(v_run_ids)])
  ));
  return query
    select r.flow_slug, f.run_id, f.step_slug, f.task_index, t.message_id, f.message
    from unnest(v_run_ids, v_step_slugs, v_task_indexes, v_messages) as f (run_id, step_slug, task_index, message)
    join pgflow.runs r on r.run_id = any (array[f.run_id])
    join pgflow.step_tasks t on t.run_id = any (array[f.run_id]) and t.step_slug = f.step_slug and t.task_index = f.task_index;
end;
$$;
