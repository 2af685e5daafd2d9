-- Runs a round of recovery for as many as 10 queues that nobody has recovered for 60 s (_unrecovered_queues), on behalf
-- of a worker of another queue, whose own recovery never waits for them: a queue whose table is locked, or has just
-- been dropped, is left for the next time. Returns what it moved, as _recover_queue.
-- Locks: as recover_tasks.
create or replace function pgflow._recover_other_queues(p_queue_name text, p_is_clock_steady boolean, p_may_judge_workers boolean)
returns setof pgflow.stalled_task
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
declare
  v_queue_name text;
begin
  foreach v_queue_name in array pgflow._lock_recovery(pgflow._unrecovered_queues(p_queue_name)) loop
    begin
      return query
        select t.* from pgflow._recover_queue(v_queue_name, pgflow._unrecovered_since(v_queue_name), p_is_clock_steady, p_may_judge_workers) t;
    exception when lock_not_available or undefined_table then
      continue;
    end;
  end loop;
end;
$$;
