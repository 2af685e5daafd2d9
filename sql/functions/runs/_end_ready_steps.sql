-- Ends the ready steps that _judge_ready_steps found not to be started: fails, skips or completes them. Returns the
-- steps that may have become ready through it.
create or replace function pgflow._end_ready_steps(p_run_ids uuid[], p_step_slugs text[], p_verdicts text[])
returns table (run_id uuid, step_slug text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_run_ids uuid[];
  v_step_slugs text[];
begin
  if 'fail' = any (p_verdicts) then
    perform pgflow._fail_steps(array_agg(f.run_id), array_agg(f.step_slug), array_agg('Condition not met'::text))
    from (
      select distinct on (j.run_id) j.run_id, j.step_slug
      from unnest(p_run_ids, p_step_slugs, p_verdicts) with ordinality as j (run_id, step_slug, verdict, n)
      where j.verdict = 'fail'
      order by j.run_id, j.n
    ) f;
  end if;

  with empty as (
    update pgflow.step_states s
    set status = 'completed', started_at = greatest(statement_timestamp(), s.created_at),
      completed_at = greatest(statement_timestamp(), s.created_at), remaining_tasks = 0, output = '[]'
    from unnest(p_run_ids, p_step_slugs, p_verdicts) as j (run_id, step_slug, verdict)
    join pgflow.runs r on r.run_id = any (array[j.run_id])
    where s.run_id = any (array[j.run_id]) and s.step_slug = j.step_slug and j.verdict = 'empty' and r.status = 'started'
    returning s.run_id, s.step_slug
  )
  select array_agg(e.run_id), array_agg(e.step_slug) into v_run_ids, v_step_slugs from empty e;
  perform pgflow._send_step_events(v_run_ids, v_step_slugs);

  select v_run_ids || array_agg(s.run_id), v_step_slugs || array_agg(s.step_slug) into v_run_ids, v_step_slugs
  from (
    select array_agg(j.run_id) as run_ids, array_agg(j.step_slug) as step_slugs, array_agg(j.verdict) as modes
    from unnest(p_run_ids, p_step_slugs, p_verdicts) as j (run_id, step_slug, verdict)
    join pgflow.runs r on r.run_id = any (array[j.run_id])
    where j.verdict in ('skip', 'skip-cascade') and r.status = 'started'
  ) given
  cross join pgflow._skip_steps(given.run_ids, given.step_slugs, given.modes, 'condition_unmet', null) s;

  return query select n.run_id, n.step_slug from pgflow._count_down_dependents(v_run_ids, v_step_slugs) n;
end;
$$;
