-- Ends the ready steps that _judge_ready_steps found not to be started: fails, skips or completes them. Returns the
-- steps that may have become ready through it.
create or replace function pgflow._end_ready_steps(p_steps pgflow.step_verdict[]) returns pgflow.step_key[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ended pgflow.step_key[];
  v_skipped pgflow.step_verdict[];
begin
  if exists (select from unnest(p_steps) j where j.verdict = 'fail') then
    perform pgflow._fail_steps(array_agg((f.run_id, f.step_slug, 'fail', 'Condition not met')::pgflow.step_verdict))
    from (
      select distinct on (j.run_id) j.run_id, j.step_slug
      from unnest(p_steps) with ordinality as j (run_id, step_slug, verdict, error_message, n)
      where j.verdict = 'fail'
      order by j.run_id, j.n
    ) f;
  end if;

  with empty as (
    update pgflow.step_states s
    set status = 'completed', started_at = greatest(statement_timestamp(), s.created_at),
      completed_at = greatest(statement_timestamp(), s.created_at), remaining_tasks = 0, output = '[]'
    from unnest(p_steps) j
    join pgflow.runs r on r.run_id = any (array[j.run_id])
    where s.run_id = any (array[j.run_id]) and s.step_slug = j.step_slug and j.verdict = 'empty' and r.status = 'started'
    returning s.run_id, s.step_slug
  )
  select array_agg((e.run_id, e.step_slug)::pgflow.step_key) into v_ended from empty e;
  perform pgflow._send_step_events(v_ended);

  select array_agg(j) into v_skipped
  from unnest(p_steps) j
  join pgflow.runs r on r.run_id = any (array[j.run_id])
  where j.verdict in ('skip', 'skip-cascade') and r.status = 'started';
  return pgflow._count_down_dependents(v_ended || pgflow._skip_steps(v_skipped, 'condition_unmet'));
end;
$$;
