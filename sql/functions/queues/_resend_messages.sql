-- Sends a new message for each given task of a queue that is active and has no message there, and returns those tasks.
-- A started task's message is hidden until the task can be recovered; a queued one's for what is left of its step's
-- start delay, or of its retry delay if the old message was archived: all other delays went with their messages.
-- Locks: the tasks and the queue rows. The runs are locked by the caller, in an earlier statement.
create or replace function pgflow._resend_messages(p_queue_name text, p_tasks pgflow.task_key[]) returns setof pgflow.task_key
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue_table text := pgmq.format_table_name(p_queue_name, 'q');
  v_lost record;
begin
  execute format(
    $query$
      select array_agg((t.run_id, t.step_slug, t.task_index)::pgflow.task_key order by t.n) as tasks, array_agg(t.visible_at order by t.n) as visible_at,
        array_agg(t.status = 'started' order by t.n) as are_started,
        array_agg(jsonb_build_object(
          'flow_slug', t.flow_slug, 'run_id', t.run_id, 'step_slug', t.step_slug, 'task_index', t.task_index
        ) order by t.n) as messages
      from (
        select k.run_id, k.step_slug, k.task_index, k.flow_slug, k.status, row_number() over (order by k.message_id) as n,
          case
            when k.status = 'started' then pgflow._recoverable_at(k.started_at, k.claimed_timeout)
            when k.attempts_count = 0 then k.queued_at + make_interval(secs => coalesce(d.opt_start_delay, 0))
            else coalesce((select a.vt from pgmq.%2$I a where a.msg_id = k.message_id and isfinite(a.vt)), now())
          end as visible_at
        from unnest($2) g
        cross join lateral (
          select k.* from pgflow.step_tasks k where k.run_id = g.run_id and k.step_slug = g.step_slug and k.task_index = g.task_index limit 1
        ) k
        cross join lateral (
          select d.opt_start_delay from pgflow.steps d where d.flow_slug = k.flow_slug and d.step_slug = k.step_slug limit 1
        ) d
        where k.queue_name = $1 and k.status in ('queued', 'started')
          and not exists (select from pgmq.%1$I q where q.msg_id = any (array[k.message_id]))
      ) t
    $query$, v_queue_table, pgmq.format_table_name(p_queue_name, 'a')
  ) using p_queue_name, p_tasks into v_lost;
  if v_lost.tasks is null then
    return;
  end if;

  perform pgflow._raise_message_ids(p_queue_name);
  with sent as (
    select s.message_id, s.n
    from unnest(array(select pgmq.send_batch(p_queue_name, v_lost.messages))) with ordinality as s (message_id, n)
  )
  update pgflow.step_tasks t
  set message_id = s.message_id
  from unnest(v_lost.tasks) with ordinality as g (run_id, step_slug, task_index, n)
  join sent s on s.n = g.n
  where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index;

  -- A message that was read counts as one of a task in flight.
  execute format(
    $update$
      update pgmq.%I q set vt = g.visible_at, read_ct = g.is_started::int
      from unnest($1, $2, $3) as g (run_id, step_slug, task_index, visible_at, is_started)
      join pgflow.step_tasks t on t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
      where q.msg_id = any (array[t.message_id])
    $update$, v_queue_table
  ) using v_lost.tasks, v_lost.visible_at, v_lost.are_started;
  perform pgflow._notify_queues(array[p_queue_name]);
  return query select g.* from unnest(v_lost.tasks) g;
end;
$$;
