-- step_tasks(step_states) -> the tasks of a run's step: for PostgREST, which embeds by it as it would by a foreign key
-- (select=*,step_tasks(*)). With the caller's own rights.
create or replace function pgflow.step_tasks(pgflow.step_states) returns setof pgflow.step_tasks
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select t.* from pgflow.step_tasks t where t.run_id = $1.run_id and t.step_slug = $1.step_slug;
$$;
