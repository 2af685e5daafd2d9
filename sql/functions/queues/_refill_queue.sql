-- Sends a new message for each queued or started task of a queue that was created again, if the task has none.
-- Locks: the started runs with tasks there, in order, then the tasks. Called by deployments.
create or replace function pgflow._refill_queue(p_queue_name text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
begin
  v_run_ids := array(
    select r.run_id from pgflow.runs r
    where r.status = 'started' and exists (
      select from pgflow.step_tasks t where t.run_id = r.run_id and t.queue_name = p_queue_name and t.status in ('queued', 'started')
    )
  );
  perform pgflow._lock_runs_briefly(v_run_ids);
  perform pgflow._raise_message_ids(p_queue_name);
  perform m.run_id
  from pgflow._resend_messages(p_queue_name, array(
    select (t.run_id, t.step_slug, t.task_index)::pgflow.task_key
    from pgflow.step_tasks t
    where t.run_id = any (v_run_ids) and t.queue_name = p_queue_name and t.status in ('queued', 'started')
  )) m;
end;
$$;
