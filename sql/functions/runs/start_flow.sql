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
  v_known pgflow.runs;
begin
  perform pgflow._check_root_map_input(v_version.flow_slug, start_flow.input);
  perform pgflow._check_input_text(start_flow.input);
  if octet_length(start_flow.idempotency_key) > 1024 then
    raise exception 'the idempotency key has % bytes, but at most 1024 are allowed', octet_length(start_flow.idempotency_key)
      using errcode = 'invalid_parameter_value';
  end if;
  loop
    insert into pgflow.runs (run_id, flow_slug, flow_alias, started_as, input, remaining_steps, idempotency_key)
    values (
      v_run_id, v_version.flow_slug, v_version.flow_alias, start_flow.flow_slug, start_flow.input,
      (select count(*) from pgflow.steps s where s.flow_slug = v_version.flow_slug), start_flow.idempotency_key
    )
    on conflict (flow_alias, idempotency_key) where idempotency_key is not null do nothing;
    exit when found;
    select r.* into v_known from pgflow.runs r
    where r.flow_alias = v_version.flow_alias and r.idempotency_key = start_flow.idempotency_key;
    -- If the run was pruned in between, its key is free again.
    continue when not found;
    if v_known.input <> start_flow.input then
      -- Who knows a run's id can read it, and keys can be guessed: the run is not named.
      raise exception 'idempotency key % of % belongs to a run with another input',
        quote_literal(start_flow.idempotency_key), v_version.flow_alias using errcode = 'unique_violation',
        hint = 'use a new key for a new input, or the same input to get that run';
    end if;
    return next v_known;
    return;
  end loop;

  perform pgflow._begin_run(v_run_id, null);
  return query select r.* from pgflow.runs r where r.run_id = v_run_id;
end;
$$;
