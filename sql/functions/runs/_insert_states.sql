-- Stores the step states of new runs. Steps that the run p_kept_run_id has completed are completed from the start, with
-- that run's outputs.
create or replace function pgflow._insert_states(p_run_ids uuid[], p_kept_run_id uuid) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into pgflow.step_states (
    flow_slug, run_id, step_slug, status, initial_tasks, remaining_tasks, failed_tasks, remaining_deps, output, created_at, started_at, completed_at
  )
  select s.flow_slug, r.run_id, s.step_slug, coalesce(k.status, 'created'),
    case
      when k.run_id is not null then k.initial_tasks
      when s.step_type = 'single' then 1
      when s.deps_count = 0 then jsonb_array_length(r.input)
      else kept.array_length
    end,
    k.remaining_tasks, coalesce(k.failed_tasks, 0), s.deps_count - kept.deps, k.output, coalesce(k.created_at, now()), k.started_at, k.completed_at
  from pgflow.runs r
  join pgflow.steps s on s.flow_slug = any (array[r.flow_slug])
  left join lateral (
    select k.* from pgflow.step_states k
    where k.run_id = p_kept_run_id and k.step_slug = s.step_slug and k.status = 'completed' limit 1
  ) k on true
  cross join lateral (
    select count(*) as deps, max(case
      when s.step_type = 'single' then null
      when parent.step_type = 'map' then p.initial_tasks
      else jsonb_array_length(p.output)
    end) as array_length
    from pgflow.deps d
    join pgflow.steps parent on parent.flow_slug = any (array[d.flow_slug]) and parent.step_slug = d.dep_slug
    cross join lateral (
      select p.initial_tasks, p.output from pgflow.step_states p
      where p.run_id = p_kept_run_id and p.step_slug = d.dep_slug and p.status = 'completed' limit 1
    ) p
    where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug
  ) kept
  where r.run_id = any (p_run_ids)
  order by r.run_id, s.step_slug;
end;
$$;
