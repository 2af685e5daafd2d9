-- start_flow(flow_slug, input, run_id, idempotency_key) -> the run's row. The name is an alias first, else the slug of its alias's active
-- version; an inactive version cannot be started. A key is unique per alias while its run exists (a retry takes it over): the same key
-- returns that run and starts nothing; with another input it is an error (unique_violation). Raises: unknown name (foreign_key_violation,
-- with the known aliases as a hint); a root map whose input is not an array; an input whose JSON text is far larger than its value
-- (program_limit_exceeded); a run_id that exists; a key of more than 1024 bytes (invalid_parameter_value). One transaction stores the run,
-- its step states, the tasks of ready steps and their messages. Locks: the alias, shared, and the key, until commit: a transaction that
-- starts runs under several keys takes them in one order, as everybody else does.
create or replace function pgflow.start_flow(
  flow_slug text, input jsonb, run_id uuid default null, idempotency_key text default null
) returns setof pgflow.runs
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query select * from pgflow._start_runs(
    start_flow.flow_slug, array[coalesce(start_flow.run_id, gen_random_uuid())], array[start_flow.input], array[start_flow.idempotency_key]
  );
end;
$$;
