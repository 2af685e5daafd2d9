-- Starts runs whose rows have just been stored: their step states, their first events, and whatever is ready.
-- p_kept_run_id: the run whose completed steps and elements they keep (then there is one), or null.
create or replace function pgflow._begin_runs(p_run_ids uuid[], p_kept_run_id uuid) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_key[];
  v_ended uuid[];
begin
  perform pgflow._forbid_prepare();
  perform pgflow._insert_states(p_run_ids, p_kept_run_id);
  perform pgflow._send_run_events(p_run_ids);
  v_steps := array(
    select (s.run_id, s.step_slug)::pgflow.step_key
    from pgflow.step_states s where s.run_id = any (p_run_ids) and s.status = 'created' and s.remaining_deps = 0
  );
  perform pgflow._advance_steps(v_steps);
  if p_kept_run_id is not null then
    perform pgflow._keep_elements(p_run_ids[1], p_kept_run_id);
  end if;
  with ended as (
    update pgflow.runs r set status = 'completed', completed_at = statement_timestamp()
    where r.run_id = any (p_run_ids) and r.status = 'started' and r.remaining_steps = 0
    returning r.run_id
  )
  select array_agg(e.run_id) into v_ended from ended e;
  if v_ended is not null then
    perform pgflow._send_run_events(v_ended);
  end if;
end;
$$;
