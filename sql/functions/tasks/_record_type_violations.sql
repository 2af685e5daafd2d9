-- Fails the tasks that a batch marked as 'violation', for good, with their step and run; their output is stored with
-- them. p_outputs: by ordinal.
create or replace function pgflow._record_type_violations(p_callbacks pgflow.callback[], p_outputs jsonb[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_verdict[];
  v_messages pgflow.message[];
begin
  with recorded as (
    update pgflow.step_tasks t
    set status = 'failed', output = p_outputs[g.ordinal], failed_at = greatest(statement_timestamp(), t.started_at),
      settled_claim_no = t.claim_no,
      error_message = format('[TYPE_VIOLATION] Produced %s instead of array', jsonb_typeof(coalesce(p_outputs[g.ordinal], 'null')))
    from unnest(p_callbacks) g
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.verdict = 'violation'
    returning t.flow_slug, t.run_id, t.step_slug, t.output, t.queue_name, t.message_id
  )
  select
    array_agg((r.run_id, r.step_slug, 'fail', format('[TYPE_VIOLATION] Map step %s expects array input but dependency %s produced %s',
      (
        select child.step_slug
        from pgflow.deps e
        join pgflow.steps child on child.flow_slug = any (array[e.flow_slug]) and child.step_slug = e.step_slug
        where e.flow_slug = any (array[r.flow_slug]) and e.dep_slug = r.step_slug and child.step_type = 'map'
        order by child.step_index limit 1
      ), r.step_slug, jsonb_typeof(coalesce(r.output, 'null'))))::pgflow.step_verdict),
    array_agg((r.queue_name, r.message_id, null)::pgflow.message)
  into v_steps, v_messages
  from recorded r;
  perform pgflow._fail_steps(v_steps);
  perform pgflow._archive_messages(v_messages);
end;
$$;
