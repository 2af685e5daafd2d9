-- The part of check_invariants that looks at the states of steps: those of the given runs, or all of them for null. A
-- run that retries another has that one's completed steps, without their tasks.
create or replace function pgflow._check_steps(p_run_ids uuid[]) returns table (invariant text, subject text, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return query
    select 'step counts its tasks', format('%s %s', s.run_id, s.step_slug),
      format('step is %s, initial_tasks is %s of %s, remaining_tasks is %s of %s, failed_tasks is %s of %s', s.status, s.initial_tasks, t.known,
        s.remaining_tasks, t.open, s.failed_tasks, t.failed)
    from pgflow.step_states s
    left join pgflow.steps d on d.flow_slug = s.flow_slug and d.step_slug = s.step_slug
    cross join lateral (
      select count(*) as known,
        count(*) filter (where t.status = 'failed' and d.when_element_exhausted = 'null') as failed,
        count(*) filter (where t.status <> 'completed' and (t.status = 'failed' and d.when_element_exhausted = 'null') is not true) as open
      from pgflow.step_tasks t where t.run_id = s.run_id and t.step_slug = s.step_slug
    ) t
    where (p_run_ids is null or s.run_id = any (p_run_ids)) and (case
      when s.status = 'created' then t.known > 0
      when s.status = 'completed' and t.known = 0 then s.initial_tasks > 0 and not exists (
        select from pgflow.runs r where r.run_id = s.run_id and r.restart_of_run_id is not null
      )
      when s.status in ('started', 'completed') then t.open <> s.remaining_tasks or t.known <> s.initial_tasks or (s.status = 'started' and t.open = 0)
      else t.known > s.initial_tasks
    end or s.failed_tasks <> t.failed and (t.known > 0 or s.status <> 'completed'));
  return query
    select 'step counts its dependencies', format('%s %s', s.run_id, s.step_slug),
      format('remaining_deps is %s, open dependencies are %s', s.remaining_deps, d.open)
    from pgflow.step_states s
    join pgflow.runs r on r.run_id = s.run_id
    cross join lateral (
      select count(*) filter (where p.status not in ('completed', 'skipped')) as open
      from pgflow.deps d
      join pgflow.step_states p on p.run_id = s.run_id and p.step_slug = d.dep_slug
      where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug
    ) d
    where (p_run_ids is null or s.run_id = any (p_run_ids)) and r.status = 'started' and s.status in ('created', 'started') and d.open <> s.remaining_deps;
  return query
    select 'ready step is started', format('%s %s', s.run_id, s.step_slug), 'no dependency is open, and the step is still created'
    from pgflow.step_states s
    join pgflow.runs r on r.run_id = s.run_id
    where (p_run_ids is null or s.run_id = any (p_run_ids)) and r.status = 'started' and s.status = 'created' and s.remaining_deps = 0;
  return query
    select 'step has the fields of its status', format('%s %s', s.run_id, s.step_slug),
      format('it is %s, started at %s, completed at %s, failed at %s, skipped at %s', s.status, s.started_at, s.completed_at, s.failed_at, s.skipped_at)
    from pgflow.step_states s
    where (p_run_ids is null or s.run_id = any (p_run_ids)) and (
      (s.status = 'completed') <> (s.completed_at is not null)
      or (s.status = 'failed') <> (s.failed_at is not null)
      or (s.status = 'skipped') <> (s.skipped_at is not null)
      or (s.status = 'started' and s.started_at is null)
      or (s.status = 'created' and s.started_at is not null)
    );
  return query
    select 'row has its parent', format('%s %s', s.run_id, s.step_slug), 'the state of a step whose run or step does not exist'
    from pgflow.step_states s
    where (p_run_ids is null or s.run_id = any (p_run_ids)) and (
      not exists (select from pgflow.runs r where r.run_id = s.run_id and r.flow_slug = s.flow_slug)
      or not exists (select from pgflow.steps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug)
    );
end;
$$;
