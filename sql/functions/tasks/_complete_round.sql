-- Records one round of a batch's completions (see _batch_rounds) and moves their runs on. Returns the batch's answers, those of this round put in.
-- The runs are locked by the caller.
create or replace function pgflow._complete_round(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[], p_outputs jsonb[], p_rounds int[], p_round int, p_answers text[]
) returns text[]
language plpgsql volatile
set search_path = ''
as $$
declare
  v_found text[] := pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos);
  v_answers text[];
  v_run_ids uuid[];
  v_step_slugs text[];
  v_queue_names text[];
  v_message_ids bigint[];
begin
  v_found := array(
    select case when g.round = p_round then g.found else 'elsewhere' end
    from unnest(p_rounds, v_found) with ordinality as g (round, found, n) order by g.n
  );
  v_answers := pgflow._find_type_violations(p_run_ids, p_step_slugs, p_task_indexes, p_outputs, v_found);

  with recorded as (
    update pgflow.step_tasks t
    set status = 'completed', output = coalesce(g.output, 'null'), completed_at = now(), settled_claim_no = t.claim_no
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
  return array(
    select case a.answer when 'violation' then 'done' when 'elsewhere' then a.given else a.answer end
    from unnest(v_answers, p_answers) with ordinality as a (answer, given, n) order by a.n
  );
end;
$$;
