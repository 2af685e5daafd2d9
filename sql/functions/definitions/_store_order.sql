-- Gives the steps of a flow the order that they have in a shape with the same steps. It differs from the stored one in a
-- development database only.
create or replace function pgflow._store_order(p_flow_slug text, p_shape jsonb) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  update pgflow.steps s
  set step_index = g.n - 1
  from jsonb_array_elements(p_shape -> 'steps') with ordinality as g (value, n)
  where s.flow_slug = p_flow_slug and s.step_slug = g.value ->> 'slug' and s.step_index <> g.n - 1;
$$;
