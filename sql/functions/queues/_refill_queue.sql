-- Gives each queued or started task of a queue that was made anew a new message, where it has none. Ids start above the largest one known for the queue's name, so that
-- no id means two messages. A started task's message is hidden until the task can be recovered; a queued one's for what is left of its step's start
-- delay at most: the retry delays went with the old messages.
-- Locks: the started runs with tasks there, in order, then the tasks. Called by deployments.
create or replace function pgflow._refill_queue(p_queue_name text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
  v_last_id bigint;
  v_present_ids bigint[];
  v_tasks record;
begin
  v_run_ids := array(
    select r.run_id from pgflow.runs r
    where r.status = 'started' and exists (
      select from pgflow.step_tasks t where t.run_id = r.run_id and t.queue_name = p_queue_name and t.status in ('queued', 'started')
    )
  );
  perform pgflow._lock_runs_briefly(v_run_ids);
  execute format(
    'select greatest((select max(t.message_id) from pgflow.step_tasks t where t.queue_name = $1), (select max(a.msg_id) from pgmq.%I a))',
    pgmq.format_table_name(p_queue_name, 'a')
  ) using p_queue_name into v_last_id;
  if v_last_id is not null then
    perform setval(pg_get_serial_sequence(format('pgmq.%I', pgmq.format_table_name(p_queue_name, 'q')), 'msg_id'), v_last_id);
  end if;

  execute format('select coalesce(array_agg(q.msg_id), ''{}'') from pgmq.%I q', pgmq.format_table_name(p_queue_name, 'q')) into v_present_ids;

  select array_agg(t.run_id order by t.n) as run_ids, array_agg(t.step_slug order by t.n) as step_slugs,
    array_agg(t.task_index order by t.n) as task_indexes, array_agg(t.visible_at order by t.n) as visible_at,
    array_agg(t.status = 'started' order by t.n) as are_started,
    array_agg(jsonb_build_object(
      'flow_slug', t.flow_slug, 'run_id', t.run_id, 'step_slug', t.step_slug, 'task_index', t.task_index
    ) order by t.n) as messages
  into v_tasks
  from (
    select k.run_id, k.step_slug, k.task_index, k.flow_slug, k.status, row_number() over (order by k.message_id) as n,
      case
        when k.status = 'started' then pgflow._recoverable_at(k.started_at, k.claimed_timeout)
        when k.attempts_count = 0 then k.queued_at + make_interval(secs => coalesce(d.opt_start_delay, 0))
        else now()
      end as visible_at
    from pgflow.step_tasks k
    join pgflow.steps d on d.flow_slug = k.flow_slug and d.step_slug = k.step_slug
    where k.run_id = any (v_run_ids) and k.queue_name = p_queue_name and k.status in ('queued', 'started')
      and k.message_id <> all (v_present_ids)
  ) t;
  if v_tasks.run_ids is null then
    return;
  end if;

  with sent as (
    select s.message_id, s.n
    from unnest(array(select pgmq.send_batch(p_queue_name, v_tasks.messages))) with ordinality as s (message_id, n)
  )
  update pgflow.step_tasks t
  set message_id = s.message_id
  from unnest(v_tasks.run_ids, v_tasks.step_slugs, v_tasks.task_indexes) with ordinality as g (run_id, step_slug, task_index, n)
  join sent s on s.n = g.n
  where t.run_id = g.run_id and t.step_slug = g.step_slug and t.task_index = g.task_index;

  -- A message that was read counts as one of a task in flight.
  execute format(
    $update$
      update pgmq.%I q set vt = g.visible_at, read_ct = g.is_started::int
      from unnest($1, $2, $3, $4, $5) as g (run_id, step_slug, task_index, visible_at, is_started)
      join pgflow.step_tasks t on t.run_id = g.run_id and t.step_slug = g.step_slug and t.task_index = g.task_index
      where q.msg_id = t.message_id
    $update$, pgmq.format_table_name(p_queue_name, 'q')
  ) using v_tasks.run_ids, v_tasks.step_slugs, v_tasks.task_indexes, v_tasks.visible_at, v_tasks.are_started;
  perform pgflow._notify_queues(array[p_queue_name]);
end;
$$;
