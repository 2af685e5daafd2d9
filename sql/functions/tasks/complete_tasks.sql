-- complete_tasks(run_ids, step_slugs, task_indexes, claim_nos, outputs): records finished tasks of any number of steps and runs, in arrays of
-- equal length, and moves their runs on. Answers each position: done | already | stale; the last two change nothing.
-- The result equals the serial order by (run_id, step_index, task_index).
-- An output that is not an array although a map reads it fails its task, step and run for good ([TYPE_VIOLATION]).
-- Locks: runs in order, step states, tasks, then queue rows; until commit.
create or replace function pgflow.complete_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[], p_outputs jsonb[]
) returns table (ordinal int, answer text)
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_indexonlyscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_answers text[];
  v_has_violation boolean;
  v_run_ids uuid[];
  v_step_slugs text[];
  v_queue_names text[];
  v_message_ids bigint[];
begin
  perform pgflow.lock_runs(p_run_ids);
  v_answers := pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos);
  v_answers := pgflow._find_type_violations(p_run_ids, p_step_slugs, p_task_indexes, p_outputs, v_answers);
  v_has_violation := 'violation' = any (v_answers);

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
  perform pgflow._advance_steps(array_agg(d.run_id), array_agg(d.step_slug))
  from pgflow._count_down_dependents(v_run_ids, v_step_slugs) d;
  if v_has_violation then
    perform pgflow._record_type_violations(p_run_ids, p_step_slugs, p_task_indexes, p_outputs, v_answers);
  end if;
  perform pgflow._archive_messages(v_queue_names, v_message_ids);

  return query
    select a.n::int, case a.answer when 'violation' then 'done' else a.answer end
    from unnest(v_answers) with ordinality as a (answer, n)
    order by a.n;
end;
$$;
