-- release_tasks(run_ids, step_slugs, task_indexes, claim_nos): puts claimed tasks back, visible at once. Costs no attempt and stores nothing.
-- Answers each position: done | already | stale; the last two change nothing. A second release of one claim is stale.
-- Locks: runs in order, tasks, then queue rows; until commit.
create or replace function pgflow.release_tasks(p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[])
returns table (ordinal int, answer text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
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
  v_queue_names text[];
  v_message_ids bigint[];
begin
  perform pgflow._check_lengths(cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos));
  perform pgflow.lock_runs(p_run_ids);
  v_answers := pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos);
  with released as (
    update pgflow.step_tasks t
    set status = 'queued', started_at = null, last_worker_id = null, attempts_count = t.attempts_count - 1
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, v_answers) as g (run_id, step_slug, task_index, answer)
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.answer = 'done'
    returning t.queue_name, t.message_id
  )
  select array_agg(r.queue_name), array_agg(r.message_id) into v_queue_names, v_message_ids from released r;
  if v_message_ids is not null then
    perform pgflow._show_messages(v_queue_names, v_message_ids);
    perform pgflow._notify_queues(v_queue_names);
  end if;
  v_answers := array_replace(v_answers, 'duplicate', 'stale');
  return query select a.n::int, a.answer from unnest(v_answers) with ordinality as a (answer, n) order by a.n;
end;
$$;
