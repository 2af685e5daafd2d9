-- check_invariants(): in one snapshot, a row for each violation: counters that do not match their rows, active tasks without a message, messages without
-- a task, active tasks under ended steps or runs, orphaned rows, aliases that point nowhere, snapshots that differ from their step's route. Empty where
-- all is well. Reads everything: for operators and specs. Takes no locks.
create or replace function pgflow.check_invariants() returns table (invariant text, subject text, detail text)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select 'run counts its steps', r.run_id::text, format('remaining_steps is %s, open steps are %s', r.remaining_steps, s.open)
    from pgflow.runs r
    cross join lateral (
      select count(*) filter (where s.status not in ('completed', 'skipped')) as open from pgflow.step_states s where s.run_id = r.run_id
    ) s
    where s.open <> r.remaining_steps;
  return query
    select 'step counts its tasks', format('%s %s', s.run_id, s.step_slug), format('remaining_tasks is %s, open tasks are %s', s.remaining_tasks, t.open)
    from pgflow.step_states s
    cross join lateral (
      select count(*) filter (where t.status <> 'completed') as open
      from pgflow.step_tasks t where t.run_id = s.run_id and t.step_slug = s.step_slug
    ) t
    where s.status in ('started', 'completed') and t.open <> s.remaining_tasks;
  return query
    select 'step counts its dependencies', format('%s %s', s.run_id, s.step_slug), format('remaining_deps is %s, open dependencies are %s', s.remaining_deps, d.open)
    from pgflow.step_states s
    join pgflow.runs r on r.run_id = s.run_id
    cross join lateral (
      select count(*) filter (where p.status not in ('completed', 'skipped')) as open
      from pgflow.deps d
      join pgflow.step_states p on p.run_id = s.run_id and p.step_slug = d.dep_slug
      where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug
    ) d
    where r.status = 'started' and s.status in ('created', 'started') and d.open <> s.remaining_deps;
  return query
    select 'ready step is started', format('%s %s', s.run_id, s.step_slug), 'no dependency is open, and the step is still created'
    from pgflow.step_states s
    join pgflow.runs r on r.run_id = s.run_id
    where r.status = 'started' and s.status = 'created' and s.remaining_deps = 0;
  return query
    select 'active task is under a started step and run', format('%s %s[%s]', t.run_id, t.step_slug, t.task_index),
      format('task is %s, step is %s, run is %s', t.status, s.status, r.status)
    from pgflow.step_tasks t
    left join pgflow.step_states s on s.run_id = t.run_id and s.step_slug = t.step_slug
    left join pgflow.runs r on r.run_id = t.run_id
    where t.status in ('queued', 'started') and (s.status, r.status) is distinct from ('started', 'started');
  return query
    select 'row has its parent', format('%s %s', s.run_id, s.step_slug), 'the state of a step whose run or step is gone'
    from pgflow.step_states s
    where not exists (select from pgflow.runs r where r.run_id = s.run_id)
      or not exists (select from pgflow.steps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug);
  return query
    select 'row has its parent', format('%s %s[%s]', t.run_id, t.step_slug, t.task_index), 'a task whose step state is gone'
    from pgflow.step_tasks t
    where not exists (select from pgflow.step_states s where s.run_id = t.run_id and s.step_slug = t.step_slug);
  return query
    select 'task keeps its step''s queue', format('%s %s[%s]', t.run_id, t.step_slug, t.task_index), format('%s, not %s', t.queue_name, d.queue_name)
    from pgflow.step_tasks t
    join pgflow.steps d on d.flow_slug = t.flow_slug and d.step_slug = t.step_slug
    where t.queue_name <> d.queue_name;
  return query
    select 'alias points at a flow of its own', a.flow_alias, coalesce(a.active_flow_slug, 'null')
    from pgflow.flow_aliases a
    where a.active_flow_slug is not null
      and not exists (select from pgflow.flows f where f.flow_slug = a.active_flow_slug and f.flow_alias = a.flow_alias);
  return query select * from pgflow._check_messages();
end;
$$;
