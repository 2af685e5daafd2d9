-- runs(step_states) -> the run of a step's state: for PostgREST, which embeds by it as it would by a foreign key
-- (select=*,runs(*)). With the caller's own rights.
create or replace function pgflow.runs(pgflow.step_states) returns setof pgflow.runs
language sql stable rows 1
set search_path = pg_catalog, pg_temp
as $$
  select r.* from pgflow.runs r where r.run_id = $1.run_id;
$$;
