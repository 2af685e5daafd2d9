-- Starts runs of a name, one for each input, under the ids given, and returns them in the order of the inputs; an input
-- whose key (null: none) has a run already is answered with that run. See start_flow for what it refuses.
create or replace function pgflow._start_runs(p_name text, p_run_ids uuid[], p_inputs jsonb[], p_keys text[]) returns setof pgflow.runs
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_version pgflow.flows := pgflow._resolve_flow(p_name);
  v_runs record;
begin
  perform pgflow._check_root_map_inputs(v_version.flow_slug, p_inputs);
  perform pgflow._check_input_texts(p_inputs);
  perform pgflow._check_keys(p_keys);
  v_runs := pgflow._insert_runs(v_version, p_name, p_run_ids, p_inputs, p_keys);
  if cardinality(v_runs.new_run_ids) > 0 then
    perform pgflow._begin_runs(v_runs.new_run_ids, null);
  end if;
  return query
    select r.* from unnest(v_runs.run_ids) with ordinality as g (run_id, n) join pgflow.runs r on r.run_id = any (array[g.run_id]) order by g.n;
end;
$$;
