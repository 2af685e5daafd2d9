-- release_tasks(run_ids, step_slugs, task_indexes, claim_nos, suspicion, lost_transactions, delays): puts claimed tasks
-- back. Costs no attempt and stores no message; so that this has a bound, it is counted on the task: by how much the
-- end of its executor made it more suspect, and whether its transaction was lost. Visible at once, or after its delay
-- in seconds (24 h at most). Each of the last three may be null, and so may what is in them.
-- Answers each position: done | already | stale; the last two change nothing. A second release of one claim is stale.
-- Locks: runs in order, tasks, then queue rows; until commit.
create or replace function pgflow.release_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[],
  p_suspicion int[] default null, p_lost_transactions boolean[] default null, p_delays float8[] default null
) returns table (ordinal int, answer text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_answers text[];
  v_queue_names text[];
  v_message_ids bigint[];
  v_delays float8[];
begin
  perform pgflow._check_lengths(
    cardinality(p_run_ids), cardinality(p_step_slugs), cardinality(p_task_indexes), cardinality(p_claim_nos),
    coalesce(cardinality(p_suspicion), cardinality(p_run_ids)), coalesce(cardinality(p_lost_transactions), cardinality(p_run_ids)),
    coalesce(cardinality(p_delays), cardinality(p_run_ids))
  );
  perform pgflow.lock_runs(p_run_ids);
  v_answers := pgflow._judge_callbacks(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos);
  with released as (
    update pgflow.step_tasks t
    set status = 'queued', started_at = null, last_worker_id = null, attempts_count = t.attempts_count - 1,
      suspicion = t.suspicion + greatest(g.suspicion, 0), lost_transactions = t.lost_transactions + coalesce(g.lost, false)::int
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, v_answers, p_suspicion, p_lost_transactions, p_delays)
      as g (run_id, step_slug, task_index, answer, suspicion, lost, delay)
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index and g.answer = 'done'
    returning t.queue_name, t.message_id, least(greatest(g.delay, 0), 86400) as delay
  )
  select array_agg(r.queue_name), array_agg(r.message_id), array_agg(r.delay) into v_queue_names, v_message_ids, v_delays from released r;
  if v_message_ids is not null then
    perform pgflow._set_visibility(
      v_queue_names, v_message_ids, array(select clock_timestamp() + make_interval(secs => d.delay) from unnest(v_delays) with ordinality as d (delay, n)
        order by d.n)
    );
    perform pgflow._notify_queues(array(select q.queue_name from unnest(v_queue_names, v_delays) as q (queue_name, delay) where q.delay = 0));
  end if;
  v_answers := array_replace(v_answers, 'duplicate', 'stale');
  return query select a.n::int, a.answer from unnest(v_answers) with ordinality as a (answer, n) order by a.n;
end;
$$;
