-- failing_task(run_id, step_slug): a task of a step of which an attempt has failed, or else one that was put back, and
-- that has not ended: its first task, else the earliest found among the hidden messages of its queue, of which the 200
-- that are seen first and the 200 that are seen last are looked at, so that the cost does not grow with the tasks of
-- the step. next_attempt_at: when its message is seen again; null if there is none or it is never seen, in the past if
-- it waits for a worker. No row if no such task is found. Takes no locks. For people: where more messages are hidden a
-- failing task may not be found.
create or replace function pgflow.failing_task(p_run_id uuid, p_step_slug text)
returns table (task_index int, status text, attempts_count int, error_message text, next_attempt_at timestamptz)
language plpgsql volatile strict security definer
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_queue_name text := (select t.queue_name from pgflow.step_tasks t where t.run_id = p_run_id and t.step_slug = p_step_slug and t.task_index = 0);
  v_table_name text := pgmq.format_table_name(v_queue_name, 'q');
begin
  if v_queue_name is null or not pgflow._queue_exists(v_queue_name) then
    return;
  end if;
  return query execute format(
    'with candidates as (
      select t.* from pgflow.step_tasks t where t.run_id = $1 and t.step_slug = $2 and t.task_index = 0
      union all
      select t.* from (
        (select q.msg_id from pgmq.%1$I q where q.vt > $4 order by q.vt limit 200)
        union
        (select q.msg_id from pgmq.%1$I q where q.vt > $4 order by q.vt desc limit 200)
      ) m
      cross join lateral (select t.* from pgflow.step_tasks t where t.queue_name = $3 and t.message_id = m.msg_id offset 0) t -- not by its run
      where t.run_id = $1 and t.step_slug = $2 and t.task_index > 0
    )
    select c.task_index, c.status, c.attempts_count, c.error_message, (select q.vt from pgmq.%1$I q where q.msg_id = c.message_id and isfinite(q.vt))
    from candidates c
    where c.error_message is not null and c.status in (''queued'', ''started'')
    order by c.attempts_count = 0, c.task_index limit 1', v_table_name
  ) using p_run_id, p_step_slug, v_queue_name, clock_timestamp();
end;
$$;
