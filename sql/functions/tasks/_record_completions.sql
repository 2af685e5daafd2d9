-- Records the completions of a batch whose answer is 'done' and moves their runs on. Returns the answers: 'violation'
-- if the output ended the run, 'stale' behind it. The runs are locked by the caller.
create or replace function pgflow._record_completions(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_outputs jsonb[], p_answers text[]
) returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answers text[] := pgflow._find_type_violations(p_run_ids, p_step_slugs, p_task_indexes, p_outputs, p_answers);
  v_run_ids uuid[];
  v_step_slugs text[];
  v_queue_names text[];
  v_message_ids bigint[];
begin
  with recorded as (
    update pgflow.step_tasks t
    set status = 'completed', output = coalesce(g.output, 'null'), completed_at = greatest(statement_timestamp(), t.started_at), settled_claim_no = t.claim_no
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_outputs, v_answers) as g (run_id, step_slug, task_index, output, answer)
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.answer = 'done'
    returning t.queue_name, t.message_id
  )
  select array_agg(r.queue_name), array_agg(r.message_id) into v_queue_names, v_message_ids from recorded r;

  select array_agg(e.run_id), array_agg(e.step_slug) into v_run_ids, v_step_slugs
  from pgflow._count_down_tasks(p_run_ids, p_step_slugs, v_answers) e;
  perform pgflow._send_step_events(v_run_ids, v_step_slugs);
  perform pgflow._advance_steps(array_agg(d.run_id), array_agg(d.step_slug))
  from pgflow._count_down_dependents(v_run_ids, v_step_slugs) d;
  if 'violation' = any (v_answers) then
    perform pgflow._record_type_violations(p_run_ids, p_step_slugs, p_task_indexes, p_outputs, v_answers);
  end if;
  perform pgflow._archive_messages(v_queue_names, v_message_ids);
  return v_answers;
end;
$$;
