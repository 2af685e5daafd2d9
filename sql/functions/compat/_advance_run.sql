-- Hands every step of a run that may be ready to _advance_steps. Every function leaves a run with none, so this finds
-- work only if rows were changed by hand. Returns the run's status; null for an unknown run. Locks: the run.
create or replace function pgflow._advance_run(p_run_id uuid) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow.lock_runs(array[p_run_id]);
  perform pgflow._advance_steps(array_agg((s.run_id, s.step_slug)::pgflow.step_key))
  from pgflow.step_states s
  where s.run_id = p_run_id and s.status = 'created' and s.remaining_deps = 0;
  return (select r.status from pgflow.runs r where r.run_id = p_run_id);
end;
$$;
