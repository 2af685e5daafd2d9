-- start_flows(flow_slug, inputs, idempotency_keys) -> the rows of the runs, in the order of the inputs: start_flow for many, all of
-- them or, if it raises, none. idempotency_keys: null, or as many as inputs, each a key or null; an input whose key has a run already, an
-- earlier one of the same call too, is answered with that run. Raises as start_flow, with which input; for null inputs
-- (invalid_parameter_value) and another number of keys (array_subscript_error). Locks: as start_flow; keys in their order.
create or replace function pgflow.start_flows(flow_slug text, inputs jsonb[], idempotency_keys text[] default null)
returns setof pgflow.runs
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_version pgflow.flows := pgflow._resolve_flow(start_flows.flow_slug);
  v_run_ids uuid[] := array(select gen_random_uuid() from generate_series(1, cardinality(start_flows.inputs)));
  v_new_run_ids uuid[];
begin
  if start_flows.inputs is null then
    raise exception 'the inputs are null' using errcode = 'invalid_parameter_value', hint = 'give an array of JSON values, one for each run';
  end if;
  if cardinality(start_flows.idempotency_keys) <> cardinality(start_flows.inputs) then
    raise exception 'there are % inputs, but % idempotency keys', cardinality(start_flows.inputs), cardinality(start_flows.idempotency_keys)
      using errcode = 'array_subscript_error', hint = 'give each input a key, null for none, or leave the keys out';
  end if;
  perform pgflow._check_root_map_inputs(v_version.flow_slug, start_flows.inputs);
  perform pgflow._check_input_texts(start_flows.inputs);
  select i.run_ids, i.new_run_ids into v_run_ids, v_new_run_ids
  from pgflow._insert_runs(v_version, start_flows.flow_slug, v_run_ids, start_flows.inputs, start_flows.idempotency_keys) i;
  if cardinality(v_new_run_ids) > 0 then
    perform pgflow._begin_runs(v_new_run_ids, null);
  end if;
  return query
    select r.*
    from unnest(v_run_ids) with ordinality as g (run_id, n)
    cross join lateral (select r.* from pgflow.runs r where r.run_id = g.run_id limit 1) r
    order by g.n;
end;
$$;
