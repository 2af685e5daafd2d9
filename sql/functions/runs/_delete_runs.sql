-- Deletes ended runs with their states, their tasks and these tasks' messages, archived or not: those of the task's own
-- queue alone. The runs are locked by the caller.
create or replace function pgflow._delete_runs(p_run_ids uuid[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_messages pgflow.message[];
begin
  with gone as (
    delete from pgflow.step_tasks t where t.run_id = any (p_run_ids) returning t.queue_name, t.message_id
  )
  select array_agg((g.queue_name, g.message_id, null)::pgflow.message) into v_messages from gone g;
  perform pgflow._delete_messages(v_messages);
  delete from pgflow.step_states s where s.run_id = any (p_run_ids);
  delete from pgflow.runs r where r.run_id = any (p_run_ids);
end;
$$;
