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
#variable_conflict use_column
declare
  v_version pgflow.flows := pgflow._resolve_flow(start_flow.flow_slug);
  v_run_id uuid := coalesce(start_flow.run_id, gen_random_uuid());
  v_is_new boolean := true;
begin
  perform pgflow._check_root_map_inputs(v_version.flow_slug, array[start_flow.input]);
  perform pgflow._check_input_texts(array[start_flow.input]);
  if start_flow.idempotency_key is null then
    insert into pgflow.runs (run_id, flow_slug, flow_alias, started_as, input, remaining_steps)
    values (
      v_run_id, v_version.flow_slug, v_version.flow_alias, start_flow.flow_slug, start_flow.input,
      (select count(*) from pgflow.steps s where s.flow_slug = v_version.flow_slug)
    );
  else
    select i.run_ids[1], cardinality(i.new_run_ids) > 0 into v_run_id, v_is_new
    from pgflow._insert_runs(v_version, start_flow.flow_slug, array[v_run_id], array[start_flow.input], array[start_flow.idempotency_key]) i;
  end if;
  if v_is_new then
    perform pgflow._begin_runs(array[v_run_id], null);
  end if;
  return query select r.* from pgflow.runs r where r.run_id = v_run_id;
end;
$$;
