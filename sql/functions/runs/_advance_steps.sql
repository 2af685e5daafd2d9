-- Moves on from steps that may have become ready: resolves conditions, skips, completes empty maps and starts the rest,
-- in waves, until nothing changes. A step that is not ready, or whose run has ended, is left alone. The runs are locked
-- by the caller.
create or replace function pgflow._advance_steps(p_steps pgflow.step_key[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_key[] := p_steps;
  v_judged pgflow.step_verdict[];
  v_ready pgflow.step_key[];
  v_some_end boolean;
begin
  while cardinality(v_steps) > 0 loop
    v_judged := pgflow._judge_ready_steps(v_steps);
    select v_ready || array_agg((j.run_id, j.step_slug)::pgflow.step_key) filter (where j.verdict = 'start'), bool_or(j.verdict <> 'start')
    into v_ready, v_some_end
    from unnest(v_judged) j;
    exit when v_some_end is not true;
    v_steps := pgflow._end_ready_steps(v_judged);
  end loop;
  perform pgflow._start_steps(v_ready);
end;
$$;
