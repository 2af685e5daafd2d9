-- Moves on from steps that may have become ready: resolves conditions, skips, completes empty maps and starts the rest,
-- in waves, until nothing changes. A step that is not ready, or whose run has ended, is left alone. The runs are locked
-- by the caller.
create or replace function pgflow._advance_steps(p_run_ids uuid[], p_step_slugs text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[] := p_run_ids;
  v_step_slugs text[] := p_step_slugs;
  v_start_run_ids uuid[] := '{}';
  v_start_step_slugs text[] := '{}';
  v_verdicts text[];
begin
  while cardinality(v_run_ids) > 0 loop
    select coalesce(array_agg(j.run_id), '{}'), coalesce(array_agg(j.step_slug), '{}'), coalesce(array_agg(j.verdict), '{}')
    into v_run_ids, v_step_slugs, v_verdicts
    from pgflow._judge_ready_steps(v_run_ids, v_step_slugs) j;

    select v_start_run_ids || coalesce(array_agg(j.run_id), '{}'), v_start_step_slugs || coalesce(array_agg(j.step_slug), '{}')
    into v_start_run_ids, v_start_step_slugs
    from unnest(v_run_ids, v_step_slugs, v_verdicts) as j (run_id, step_slug, verdict)
    where j.verdict = 'start';
    exit when v_verdicts <@ array['start'];

    select coalesce(array_agg(n.run_id), '{}'), coalesce(array_agg(n.step_slug), '{}')
    into v_run_ids, v_step_slugs
    from pgflow._end_ready_steps(v_run_ids, v_step_slugs, v_verdicts) n;
  end loop;
  perform pgflow._start_steps(v_start_run_ids, v_start_step_slugs);
end;
$$;
