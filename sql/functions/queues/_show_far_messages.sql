-- Makes visible those messages of a queue that are hidden for longer than any rule explains, 1,000 at most, and returns
-- them with their tasks, if they have one: more than a day, and longer than the start delay of a step or the delay of a
-- retry. A started task's is left: recovery looks at the task itself.
-- Locks: the queue rows, leaving those that are locked.
create or replace function pgflow._show_far_messages(p_queue_name text) returns table (run_id uuid, step_slug text, task_index int)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_start_delay int := (select coalesce(max(s.opt_start_delay), 0) from pgflow.steps s where s.queue_name = p_queue_name);
  v_retry_delay float8 := pgflow._retry_delay('infinity', null, null);
begin
  return query execute format(
    $update$
      with far as (
        select q.msg_id, q.vt from pgmq.%1$I q where q.vt > $2 order by q.vt desc limit 1000 for update skip locked
      ), unexplained as (
        select f.msg_id, t.run_id, t.step_slug, t.task_index
        from far f
        left join lateral (
          select t.* from pgflow.step_tasks t where t.queue_name = $1 and t.message_id = f.msg_id limit 1
        ) t on t.status in ('queued', 'started')
        where t.status is distinct from 'started' and (t.settled_claim_no is distinct from t.claim_no or t.claim_no is null or f.vt > $3)
      ), shown as (
        update pgmq.%1$I q set vt = clock_timestamp() from unexplained u where q.msg_id = any (array[u.msg_id]) returning q.msg_id
      )
      select u.run_id, u.step_slug, u.task_index from unexplained u join shown s on s.msg_id = u.msg_id
    $update$, pgmq.format_table_name(p_queue_name, 'q')
  ) using p_queue_name, clock_timestamp() + greatest(interval '1 day', make_interval(secs => v_start_delay)) + interval '1 minute',
    clock_timestamp() + make_interval(secs => v_retry_delay) + interval '1 minute';
end;
$$;
