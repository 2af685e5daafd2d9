-- steps(step_states) -> the definition of a step's state: for PostgREST, which embeds by it as it would by a foreign key
-- (select=*,steps(*)). With the caller's own rights.
create or replace function pgflow.steps(pgflow.step_states) returns setof pgflow.steps
language sql stable rows 1
set search_path = pg_catalog, pg_temp
as $$
  select d.* from pgflow.steps d where d.flow_slug = $1.flow_slug and d.step_slug = $1.step_slug;
$$;
