-- The part of check_invariants that looks at runs: the given ones, or all of them for null.
create or replace function pgflow._check_runs(p_run_ids uuid[]) returns table (invariant text, subject text, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return query
    select 'run counts its steps', r.run_id::text, format('remaining_steps is %s, open steps are %s', r.remaining_steps, s.open)
    from pgflow.runs r
    cross join lateral (
      select count(*) filter (where s.status not in ('completed', 'skipped')) as open from pgflow.step_states s where s.run_id = r.run_id
    ) s
    where (p_run_ids is null or r.run_id = any (p_run_ids)) and s.open <> r.remaining_steps;
  return query
    select 'run has a state of each step', r.run_id::text, format('it has %s, and its flow %s steps', s.states, d.steps)
    from pgflow.runs r
    cross join lateral (select count(*) as states from pgflow.step_states s where s.run_id = r.run_id) s
    cross join lateral (select count(*) as steps from pgflow.steps d where d.flow_slug = r.flow_slug) d
    where (p_run_ids is null or r.run_id = any (p_run_ids)) and s.states <> d.steps;
  return query
    select 'run is over when its steps are', r.run_id::text, format('it is %s, and %s steps remain', r.status, r.remaining_steps)
    from pgflow.runs r
    where (p_run_ids is null or r.run_id = any (p_run_ids))
      and ((r.status = 'completed' and r.remaining_steps > 0) or (r.status = 'started' and r.remaining_steps = 0));
  return query
    select 'run has the fields of its status', r.run_id::text,
      format('it is %s, completed at %s, failed at %s, cancelled at %s, by step %s', r.status, r.completed_at, r.failed_at, r.cancelled_at, r.error_step_slug)
    from pgflow.runs r
    where (p_run_ids is null or r.run_id = any (p_run_ids)) and (
      (r.status = 'completed') <> (r.completed_at is not null)
      or (r.status = 'failed') <> (r.failed_at is not null)
      or (r.status = 'cancelled') <> (r.cancelled_at is not null)
      or (r.status = 'failed') <> (r.error_step_slug is not null)
      or (r.status <> 'completed' and r.output is not null)
    );
  return query
    select 'failed run and step go together', r.run_id::text, format('it is %s by step %s, and the failed step is %s', r.status, r.error_step_slug, s.step_slug)
    from (select * from pgflow.runs r where p_run_ids is null or r.run_id = any (p_run_ids)) r
    full join (
      select s.run_id, s.step_slug from pgflow.step_states s where s.status = 'failed' and (p_run_ids is null or s.run_id = any (p_run_ids))
    ) s on s.run_id = r.run_id and s.step_slug = r.error_step_slug
    where (r.status = 'failed' and s.run_id is null) or (s.run_id is not null and r.status is distinct from 'failed');
  return query
    select 'run is of its flow''s alias', r.run_id::text, format('%s, not %s', r.flow_alias, f.flow_alias)
    from pgflow.runs r
    join pgflow.flows f on f.flow_slug = r.flow_slug
    where (p_run_ids is null or r.run_id = any (p_run_ids)) and r.flow_alias <> f.flow_alias;
end;
$$;
