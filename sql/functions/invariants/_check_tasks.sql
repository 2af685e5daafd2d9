-- The part of check_invariants that looks at the rows of tasks: those of the given runs, or all of them for null.
create or replace function pgflow._check_tasks(p_run_ids uuid[]) returns table (invariant text, subject text, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return query
    select 'active task is under a started step and run', format('%s %s[%s]', t.run_id, t.step_slug, t.task_index),
      format('task is %s, step is %s, run is %s', t.status, s.status, r.status)
    from pgflow.step_tasks t
    left join pgflow.step_states s on s.run_id = t.run_id and s.step_slug = t.step_slug
    left join pgflow.runs r on r.run_id = t.run_id
    where (p_run_ids is null or t.run_id = any (p_run_ids)) and t.status in ('queued', 'started')
      and (s.status, r.status) is distinct from ('started', 'started');
  return query
    select 'row has its parent', format('%s %s[%s]', t.run_id, t.step_slug, t.task_index), 'a task whose step state does not exist'
    from pgflow.step_tasks t
    where (p_run_ids is null or t.run_id = any (p_run_ids)) and not exists (
      select from pgflow.step_states s where s.run_id = t.run_id and s.step_slug = t.step_slug and s.flow_slug = t.flow_slug
    );
  return query
    select 'task keeps its step''s queue', format('%s %s[%s]', t.run_id, t.step_slug, t.task_index), format('%s, not %s', t.queue_name, d.queue_name)
    from pgflow.step_tasks t
    join pgflow.steps d on d.flow_slug = t.flow_slug and d.step_slug = t.step_slug
    where (p_run_ids is null or t.run_id = any (p_run_ids)) and t.queue_name <> d.queue_name;
  return query
    select 'task is one of its step''s', format('%s %s[%s]', t.run_id, t.step_slug, t.task_index),
      format('the step is a %s of %s tasks; the task''s element is %s', d.step_type, s.initial_tasks, coalesce(left(t.input::text, 40), 'absent'))
    from pgflow.step_tasks t
    join pgflow.step_states s on s.run_id = t.run_id and s.step_slug = t.step_slug
    join pgflow.steps d on d.flow_slug = t.flow_slug and d.step_slug = t.step_slug
    where (p_run_ids is null or t.run_id = any (p_run_ids))
      and (t.task_index not between 0 and s.initial_tasks - 1 or (d.step_type = 'map') <> (t.input is not null));
  return query
    select 'task has the fields of its status', format('%s %s[%s]', t.run_id, t.step_slug, t.task_index),
      format('it is %s, started at %s, completed at %s, failed at %s, worker %s, claim %s, settled %s, attempts %s', t.status, t.started_at, t.completed_at,
        t.failed_at,
        t.last_worker_id, t.claim_no, t.settled_claim_no, t.attempts_count)
    from pgflow.step_tasks t
    where (p_run_ids is null or t.run_id = any (p_run_ids)) and (
      (t.status = 'completed') <> (t.completed_at is not null)
      or (t.status = 'failed') <> (t.failed_at is not null)
      or (t.status in ('completed', 'failed') and t.settled_claim_no is distinct from t.claim_no)
      or (t.status = 'queued' and t.started_at is not null)
      or (t.status = 'started' and (
        num_nulls(t.started_at, t.claimed_timeout, t.last_worker_id) > 0 or t.claim_no = 0 or t.settled_claim_no = t.claim_no
      ))
      or (t.permanently_stalled_at is not null and t.status <> 'failed')
      or t.attempts_count > t.claim_no
      or t.settled_claim_no > t.claim_no
      or t.message_id is null
    );
end;
$$;
