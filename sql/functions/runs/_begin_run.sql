-- Starts a run whose row has just been stored: its step states, its first event, and whatever is ready. p_kept_run_id:
-- the run whose completed steps and elements it keeps, or null.
create or replace function pgflow._begin_run(p_run_id uuid, p_kept_run_id uuid) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_key[];
begin
  perform pgflow._forbid_prepare();
  perform pgflow._insert_states(p_run_id, p_kept_run_id);
  perform pgflow._send_run_events(array[p_run_id]);
  v_steps := array(
    select (s.run_id, s.step_slug)::pgflow.step_key from pgflow.step_states s where s.run_id = p_run_id and s.status = 'created' and s.remaining_deps = 0
  );
  perform pgflow._advance_steps(v_steps);
  if p_kept_run_id is not null then
    perform pgflow._keep_elements(p_run_id, p_kept_run_id);
  end if;
  update pgflow.runs r set status = 'completed', completed_at = statement_timestamp()
  where r.run_id = p_run_id and r.status = 'started' and r.remaining_steps = 0;
  if found then
    perform pgflow._send_run_events(array[p_run_id]);
  end if;
end;
$$;
