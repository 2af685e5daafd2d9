-- Fails the tasks that a batch marked as 'violation', for good, with their step and run; their output is stored with
-- them.
create or replace function pgflow._record_type_violations(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_outputs jsonb[], p_answers text[]
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
  v_step_slugs text[];
  v_messages text[];
  v_queue_names text[];
  v_message_ids bigint[];
begin
  with recorded as (
    update pgflow.step_tasks t
    set status = 'failed', output = coalesce(g.output, 'null'), failed_at = greatest(statement_timestamp(), t.started_at), settled_claim_no = t.claim_no,
      error_message = format('[TYPE_VIOLATION] Produced %s instead of array', jsonb_typeof(coalesce(g.output, 'null')))
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_outputs, p_answers) as g (run_id, step_slug, task_index, output, answer)
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.answer = 'violation'
    returning t.flow_slug, t.run_id, t.step_slug, t.output, t.queue_name, t.message_id
  )
  select array_agg(r.run_id), array_agg(r.step_slug), array_agg(r.queue_name), array_agg(r.message_id),
    array_agg(format('[TYPE_VIOLATION] Map step %s expects array input but dependency %s produced %s',
      (
        select child.step_slug
        from pgflow.deps e
        join pgflow.steps child on child.flow_slug = any (array[e.flow_slug]) and child.step_slug = e.step_slug
        where e.flow_slug = any (array[r.flow_slug]) and e.dep_slug = r.step_slug and child.step_type = 'map'
        order by child.step_index limit 1
      ), r.step_slug, jsonb_typeof(r.output)))
  into v_run_ids, v_step_slugs, v_queue_names, v_message_ids, v_messages
  from recorded r;
  perform pgflow._fail_steps(v_run_ids, v_step_slugs, v_messages);
  perform pgflow._archive_messages(v_queue_names, v_message_ids);
end;
$$;
