-- get_run_with_states(run_id) -> {"run": its row, "steps": [the rows of its step states, in the order of step_index]};
-- null for an unknown run. pgflow's client knows no status cancelled and stops at one: to it such a run has failed, with
-- the reason as its error (_cancelled_as_failed).
create or replace function pgflow.get_run_with_states(run_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('run', to_jsonb(r) || pgflow._cancelled_as_failed(r), 'steps', (
    select coalesce(jsonb_agg(to_jsonb(s) order by d.step_index), '[]')
    from pgflow.step_states s
    join pgflow.steps d on d.flow_slug = any (array[s.flow_slug]) and d.step_slug = s.step_slug
    where s.run_id = r.run_id
  ))
  from pgflow.runs r
  where r.run_id = get_run_with_states.run_id;
$$;
