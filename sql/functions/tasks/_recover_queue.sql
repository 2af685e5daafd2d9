-- Runs one round of a queue's recovery; see recover_tasks. Looks at the tasks whose messages are hidden until the given
-- instant or later, and at the next active ones of the walk. If all that is stalled was moved, the next round need not
-- look farther back than this one's beginning (_unrecovered_since); it must while the clock is not trusted. The queue's
-- table exists, and the caller has the try-lock of its recovery.
-- Locks: runs in order, those that are locked left for the next time; then as fail_tasks; queue rows.
create or replace function pgflow._recover_queue(p_queue_name text, p_hidden_until timestamptz, p_is_clock_steady boolean, p_may_judge_workers boolean)
returns setof pgflow.stalled_task
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_begun timestamptz := clock_timestamp();
  v_active pgflow.task_key[];
  v_suspects pgflow.task_key[];
  v_moved bigint;
begin
  v_active := array(select (t.run_id, t.step_slug, t.task_index)::pgflow.task_key from pgflow._walk_active_tasks(p_queue_name) t);
  v_suspects := array(
    select (t.run_id, t.step_slug, t.task_index)::pgflow.task_key
    from pgflow._tasks_in_flight(p_queue_name, p_hidden_until) t
    where pgflow._stall_reason(t, p_is_clock_steady, p_may_judge_workers) is not null
    union
    select (t.run_id, t.step_slug, t.task_index)::pgflow.task_key
    from unnest(v_active) a
    join pgflow.step_tasks t on t.run_id = any (array[a.run_id]) and t.step_slug = a.step_slug and t.task_index = a.task_index
    where t.status = 'started' and pgflow._stall_reason(t, p_is_clock_steady, p_may_judge_workers) is not null
  );
  return query select t.* from pgflow._recover_stalled_tasks(v_suspects, p_is_clock_steady, p_may_judge_workers) t;
  get diagnostics v_moved = row_count;
  update pgflow.recoveries c set recovered_at = v_begun
  where c.queue_name = p_queue_name and p_is_clock_steady and v_moved = cardinality(v_suspects);

  perform pgflow._raise_message_ids(p_queue_name);
  return query select m.*, 'no_message', 'resent' from pgflow._resend_lost_messages(p_queue_name, v_active) m;
  perform pgflow._pull_messages_back(p_queue_name);
  return query select m.*, 'hidden', 'shown' from pgflow._show_far_messages(p_queue_name) m;
end;
$$;
