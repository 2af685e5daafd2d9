-- cascade_resolve_conditions(run_id) -> whether the run may continue: false once it has failed; null for an unknown
-- run. Compatibility; owner only. Conditions, skips, empty maps and starts are one path here, so what is ready moves
-- all the way. Locks: the run.
create or replace function pgflow.cascade_resolve_conditions(run_id uuid) returns boolean
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select pgflow._advance_run(cascade_resolve_conditions.run_id) <> 'failed';
$$;
