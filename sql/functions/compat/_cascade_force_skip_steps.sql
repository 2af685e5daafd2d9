-- _cascade_force_skip_steps(run_id, step_slug, skip_reason) -> how many steps it skipped. Compatibility; owner only.
-- Skips a step with everything that depends on it, whatever else that waits for: created and started ones alone, with
-- their tasks. The step gets the reason given, the others dependency_skipped. A run without a step left completes. A
-- repeated call, and one on an ended run, skips none.
-- Raises no_data_found for an unknown run. Locks: the run, then as fail_tasks.
create or replace function pgflow._cascade_force_skip_steps(run_id uuid, step_slug text, skip_reason text) returns int
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_status text;
  v_run_ids uuid[];
  v_step_slugs text[];
begin
  select r.status into v_status from pgflow.runs r where r.run_id = _cascade_force_skip_steps.run_id for update;
  if not found then
    raise exception 'Run not found: %', _cascade_force_skip_steps.run_id using errcode = 'no_data_found';
  end if;
  if v_status <> 'started' then
    return 0;
  end if;
  select array_agg(s.run_id), array_agg(s.step_slug) into v_run_ids, v_step_slugs
  from pgflow._skip_steps(
    array[_cascade_force_skip_steps.run_id], array[_cascade_force_skip_steps.step_slug], array['skip-cascade'],
    _cascade_force_skip_steps.skip_reason, null
  ) s;
  perform pgflow._advance_steps(array_agg(d.run_id), array_agg(d.step_slug))
  from pgflow._count_down_dependents(v_run_ids, v_step_slugs) d;
  return coalesce(cardinality(v_step_slugs), 0);
end;
$$;
