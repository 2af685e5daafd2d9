-- Records the completions of a batch whose verdict is 'done' and moves their runs on. Returns the batch: 'violation' if
-- the output ended the run, 'stale' behind it. p_outputs: by ordinal; they are no part of the callbacks, whose rows are
-- copied at every step. The runs are locked by the caller.
create or replace function pgflow._record_completions(p_callbacks pgflow.callback[], p_outputs jsonb[]) returns pgflow.callback[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_callbacks pgflow.callback[] := pgflow._find_type_violations(p_callbacks, p_outputs);
  v_messages pgflow.message[];
begin
  with recorded as (
    update pgflow.step_tasks t
    set status = 'completed', output = p_outputs[g.ordinal], completed_at = greatest(statement_timestamp(), t.started_at),
      settled_claim_no = t.claim_no
    from unnest(v_callbacks) g
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.verdict = 'done'
    returning t.queue_name, t.message_id
  )
  select array_agg((r.queue_name, r.message_id, null)::pgflow.message) into v_messages from recorded r;

  perform pgflow._finish_tasks(v_callbacks);
  if exists (select from unnest(v_callbacks) g where g.verdict = 'violation') then
    perform pgflow._record_type_violations(v_callbacks, p_outputs);
  end if;
  perform pgflow._archive_messages(v_messages);
  return v_callbacks;
end;
$$;
