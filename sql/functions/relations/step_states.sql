-- step_states(runs) -> the states of a run's steps: for PostgREST, which embeds by it as it would by a foreign key
-- (select=*,step_states(*)). With the caller's own rights.
create or replace function pgflow.step_states(pgflow.runs) returns setof pgflow.step_states
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select s.* from pgflow.step_states s where s.run_id = $1.run_id;
$$;
