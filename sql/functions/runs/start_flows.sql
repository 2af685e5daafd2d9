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
begin
  if start_flows.inputs is null then
    raise exception 'the inputs are null' using errcode = 'invalid_parameter_value', hint = 'give an array of JSON values, one for each run';
  end if;
  if cardinality(start_flows.idempotency_keys) <> cardinality(start_flows.inputs) then
    raise exception 'there are % inputs, but % idempotency keys', cardinality(start_flows.inputs), cardinality(start_flows.idempotency_keys)
      using errcode = 'array_subscript_error', hint = 'give each input a key, null for none, or leave the keys out';
  end if;
  return query select * from pgflow._start_runs(
    start_flows.flow_slug, array(select gen_random_uuid() from generate_series(1, cardinality(start_flows.inputs))),
    start_flows.inputs, start_flows.idempotency_keys
  );
end;
$$;
