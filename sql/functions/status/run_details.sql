-- run_details(run_id) -> {"run": its row, "steps": [each step's state in definition order, with its dependencies and
-- its tasks counted by status, and their errors]}, for callers that know the run's id; null for an unknown run.
create or replace function pgflow.run_details(p_run_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('run', to_jsonb(r), 'steps', (
    select coalesce(jsonb_agg(
      to_jsonb(st) || jsonb_build_object(
        'step_type', s.step_type, 'step_index', s.step_index, 'queue_name', s.queue_name, 'tasks', t.counts, 'dependencies', (
          select coalesce(jsonb_agg(d.dep_slug order by d.dep_slug), '[]') from pgflow.deps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug
        )
      ) order by s.step_index
    ), '[]')
    from pgflow.step_states st
    join pgflow.steps s on s.flow_slug = st.flow_slug and s.step_slug = st.step_slug
    cross join lateral (
      select jsonb_build_object(
        'queued', count(*) filter (where t.status = 'queued'),
        'started', count(*) filter (where t.status = 'started'),
        'completed', count(*) filter (where t.status = 'completed'),
        'failed', count(*) filter (where t.status = 'failed'),
        'skipped', count(*) filter (where t.status = 'skipped'),
        'cancelled', count(*) filter (where t.status = 'cancelled'),
        'attempts', coalesce(sum(t.attempts_count), 0),
        'errors', coalesce(
          jsonb_agg(jsonb_build_object('task_index', t.task_index, 'message', t.error_message) order by t.task_index)
            filter (where t.error_message is not null and t.status <> 'completed'), '[]'
        )
      ) as counts
      from pgflow.step_tasks t
      where t.run_id = st.run_id and t.step_slug = st.step_slug
    ) t
    where st.run_id = r.run_id
  ))
  from pgflow.runs r
  where r.run_id = p_run_id;
$$;
