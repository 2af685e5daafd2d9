-- Raises if a flow has maps over the run's input and one of these inputs is not an array; of several inputs the error
-- says which.
create or replace function pgflow._check_root_map_inputs(p_flow_slug text, p_inputs jsonb[]) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_input record;
begin
  if not exists (
    select from pgflow.steps s where s.flow_slug = p_flow_slug and s.step_type = 'map' and s.deps_count = 0
  ) then
    return;
  end if;
  select coalesce('not an array (got ' || jsonb_typeof(i.input) || ')', 'NULL') as found, pgflow._nth(i.n, cardinality(p_inputs)) as nth
  into v_input
  from unnest(p_inputs) with ordinality as i (input, n)
  where jsonb_typeof(i.input) is distinct from 'array'
  order by i.n limit 1;
  if found then
    raise exception 'Flow % has root map steps but input% is %', p_flow_slug, v_input.nth, v_input.found
      using hint = 'a root map has a task for each element: give it an array, such as [1, 2, 3]';
  end if;
end;
$$;
