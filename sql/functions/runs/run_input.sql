-- run_input(run_id) -> the run's input; null for an unknown run. For ctx:flow_input.
create or replace function pgflow.run_input(p_run_id uuid) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select r.input from pgflow.runs r where r.run_id = p_run_id;
$$;
