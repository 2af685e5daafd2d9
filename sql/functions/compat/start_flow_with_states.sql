-- start_flow_with_states(flow_slug, input, run_id) -> {"run", "steps"} of the run that it starts: start_flow, then
-- get_run_with_states.
-- Raises and locks as start_flow.
create or replace function pgflow.start_flow_with_states(flow_slug text, input jsonb, run_id uuid default null) returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_id uuid := (
    select r.run_id from pgflow.start_flow(start_flow_with_states.flow_slug, start_flow_with_states.input, start_flow_with_states.run_id) r
  );
begin
  return pgflow.get_run_with_states(v_run_id);
end;
$$;
