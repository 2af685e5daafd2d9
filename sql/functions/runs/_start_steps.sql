-- Starts ready steps of started runs: stores their tasks, each with the element of its own if the step is a map and
-- with its step's queue, sends the messages, delayed by the step's start delay, and wakes the workers of those queues.
create or replace function pgflow._start_steps(p_steps pgflow.step_key[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_key[];
  v_batch record;
  v_queue_names text[] := '{}';
begin
  with started as (
    update pgflow.step_states s
    set status = 'started', started_at = greatest(statement_timestamp(), s.created_at), remaining_tasks = s.initial_tasks
    from unnest(p_steps) n
    join pgflow.runs r on r.run_id = any (array[n.run_id])
    where s.run_id = any (array[n.run_id]) and s.step_slug = n.step_slug and s.status = 'created' and r.status = 'started'
    returning s.run_id, s.step_slug
  )
  select array_agg((s.run_id, s.step_slug)::pgflow.step_key) into v_steps from started s;
  perform pgflow._send_step_events(v_steps);

  for v_batch in
    select t.queue_name, t.start_delay, array_agg(t) as tasks,
      array_agg(jsonb_build_object(
        'flow_slug', t.flow_slug, 'run_id', t.run_id, 'step_slug', t.step_slug, 'task_index', t.task_index
      )) as messages
    from pgflow._new_tasks(v_steps) t
    group by t.queue_name, t.start_delay
  loop
    insert into pgflow.step_tasks (flow_slug, run_id, step_slug, task_index, input, queue_name, message_id)
    select n.flow_slug, n.run_id, n.step_slug, n.task_index, n.input, n.queue_name, n.message_id
    from unnest(v_batch.tasks, array(select pgmq.send_batch(v_batch.queue_name, v_batch.messages, v_batch.start_delay)))
      as n (queue_name, start_delay, flow_slug, run_id, step_slug, task_index, input, message_id);
    v_queue_names := v_queue_names || v_batch.queue_name;
  end loop;
  perform pgflow._notify_queues(v_queue_names);
end;
$$;
