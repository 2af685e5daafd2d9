-- Starts ready steps of started runs: stores their tasks, each with the element of its own if the step is a map and
-- with its step's queue, sends the messages, delayed by the step's start delay, and wakes the workers of those queues.
create or replace function pgflow._start_steps(p_run_ids uuid[], p_step_slugs text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
  v_step_slugs text[];
  v_tasks record;
  v_queue_names text[] := '{}';
begin
  with started as (
    update pgflow.step_states s
    set status = 'started', started_at = greatest(statement_timestamp(), s.created_at), remaining_tasks = s.initial_tasks
    from unnest(p_run_ids, p_step_slugs) as n (run_id, step_slug)
    join pgflow.runs r on r.run_id = any (array[n.run_id])
    where s.run_id = any (array[n.run_id]) and s.step_slug = n.step_slug and s.status = 'created' and r.status = 'started'
    returning s.run_id, s.step_slug
  )
  select array_agg(s.run_id), array_agg(s.step_slug) into v_run_ids, v_step_slugs from started s;
  perform pgflow._send_step_events(v_run_ids, v_step_slugs);

  for v_tasks in
    select t.queue_name, t.start_delay,
      array_agg(t.flow_slug) as flow_slugs, array_agg(t.run_id) as run_ids, array_agg(t.step_slug) as step_slugs,
      array_agg(t.task_index) as task_indexes, array_agg(t.input) as inputs,
      array_agg(jsonb_build_object(
        'flow_slug', t.flow_slug, 'run_id', t.run_id, 'step_slug', t.step_slug, 'task_index', t.task_index
      )) as messages
    from pgflow._new_tasks(v_run_ids, v_step_slugs) t
    group by t.queue_name, t.start_delay
  loop
    insert into pgflow.step_tasks (flow_slug, run_id, step_slug, task_index, input, message_id, queue_name)
    select n.flow_slug, n.run_id, n.step_slug, n.task_index, n.input, n.message_id, v_tasks.queue_name
    from unnest(
      v_tasks.flow_slugs, v_tasks.run_ids, v_tasks.step_slugs, v_tasks.task_indexes, v_tasks.inputs,
      array(select pgmq.send_batch(v_tasks.queue_name, v_tasks.messages, v_tasks.start_delay))
    ) as n (flow_slug, run_id, step_slug, task_index, input, message_id);
    v_queue_names := v_queue_names || v_tasks.queue_name;
  end loop;
  perform pgflow._notify_queues(v_queue_names);
end;
$$;
