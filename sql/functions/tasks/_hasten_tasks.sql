-- Makes the waiting tasks of runs due now: those that wait for their next attempt, or until a handler wanted to be called
-- again. No attempt is counted or given back, and a start delay stays. p_queue_name: only those on this queue; null: on
-- all. Returns how many there were.
-- Locks: the tasks, then queue rows; what is being claimed or recorded at this moment is left out.
create or replace function pgflow._hasten_tasks(p_run_ids uuid[], p_queue_name text) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_messages pgflow.message[];
begin
  select array_agg((w.queue_name, w.message_id, clock_timestamp())::pgflow.message) into v_messages
  from (
    select t.queue_name, t.message_id from pgflow.step_tasks t
    where t.run_id = any (p_run_ids) and t.status = 'queued' and t.claim_no > 0 and (p_queue_name is null or t.queue_name = p_queue_name)
    order by t.run_id, t.step_slug, t.task_index
    for no key update skip locked
  ) w;
  perform pgflow._set_visibility(v_messages);
  perform pgflow._notify_queues(array(select m.queue_name from unnest(v_messages) m));
  return coalesce(cardinality(v_messages), 0);
end;
$$;
