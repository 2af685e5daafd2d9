-- _cascade_force_skip_steps(run_id, step_slug, skip_reason) -> how many steps it skipped. Compatibility; owner only.
-- Skips a step with everything that depends on it, whatever else that waits for: created and started ones alone, with
-- their tasks. The step gets the reason given, the others dependency_skipped. A run without a step left completes. A
-- repeated call, and one on an ended run, skips none.
-- Raises raise_exception for an unknown run. Locks: the run, then as fail_tasks.
create or replace function pgflow._cascade_force_skip_steps(run_id uuid, step_slug text, skip_reason text) returns int
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_status text;
  v_steps pgflow.step_key[];
begin
  select r.status into v_status from pgflow.runs r where r.run_id = _cascade_force_skip_steps.run_id for update;
  if not found then
    raise exception 'Run not found: %', _cascade_force_skip_steps.run_id;
  end if;
  if v_status <> 'started' then
    return 0;
  end if;
  v_steps := pgflow._skip_steps(
    array[(_cascade_force_skip_steps.run_id, _cascade_force_skip_steps.step_slug, 'skip-cascade', null)::pgflow.step_verdict],
    _cascade_force_skip_steps.skip_reason
  );
  perform pgflow._advance_steps(pgflow._count_down_dependents(v_steps));
  return coalesce(cardinality(v_steps), 0);
end;
$$;
