-- Cancels the queued and started tasks of runs that have just ended early, and archives their messages. Their steps
-- keep the state they have.
create or replace function pgflow._cancel_tasks(p_run_ids uuid[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_messages pgflow.message[];
begin
  with ended as (
    update pgflow.step_tasks t
    set status = 'cancelled'
    from unnest(p_run_ids) as f (run_id)
    where t.run_id = any (array[f.run_id]) and t.status in ('queued', 'started')
    returning t.queue_name, t.message_id
  )
  select array_agg((e.queue_name, e.message_id, null)::pgflow.message) into v_messages from ended e;
  perform pgflow._archive_messages(v_messages);
end;
$$;
