-- Fails for good the queued tasks of the given messages, which no claim can ever take, each with its reason; their
-- step's when_exhausted applies. A task whose run is locked is left for a later claim. Returns those that it has
-- failed, as rows of claim_tasks. Locks: runs, skipping what is locked; then as fail_tasks.
create or replace function pgflow._fail_unclaimed_tasks(p_queue_name text, p_message_ids bigint[], p_reasons text[])
returns setof pgflow.claim_row
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
  v_callbacks pgflow.callback[];
  v_row pgflow.claim_row;
begin
  v_run_ids := pgflow._lock_free_runs(array(
    select t.run_id
    from unnest(p_message_ids) as m (message_id)
    cross join lateral (select t.run_id from pgflow.step_tasks t where t.queue_name = p_queue_name and t.message_id = m.message_id limit 1) t
  ));
  v_callbacks := array(
    select (
      null, t.run_id, t.step_slug, t.task_index, null, format('the input of step %s %s', t.step_slug, m.reason), null, true, false, 'done'
    )::pgflow.callback
    from unnest(p_message_ids, p_reasons) as m (message_id, reason)
    cross join lateral (
      select t.run_id, t.step_slug, t.task_index from pgflow.step_tasks t
      where t.queue_name = p_queue_name and t.message_id = m.message_id and t.status = 'queued' limit 1
    ) t
    where (t.run_id in (select u.run_id from unnest(v_run_ids) as u (run_id))) is true
  );
  if v_callbacks = '{}' then
    return;
  end if;
  perform pgflow._record_failures(v_callbacks);
  v_row.kind := 'failed';
  for v_row.flow_slug, v_row.run_id, v_row.step_slug, v_row.task_index, v_row.msg_id, v_row.input in
    select r.flow_slug, f.run_id, f.step_slug, f.task_index, t.message_id, f.message
    from unnest(v_callbacks) f
    join pgflow.runs r on r.run_id = any (array[f.run_id])
    join pgflow.step_tasks t on t.run_id = any (array[f.run_id]) and t.step_slug = f.step_slug and t.task_index = f.task_index
  loop
    return next v_row;
  end loop;
end;
$$;
