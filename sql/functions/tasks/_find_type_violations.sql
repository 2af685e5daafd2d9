-- Marks in the verdicts of a batch each output that a map reads and that is not an array: 'violation' for the first of
-- a run, which ends it, and 'stale' for what comes after it in the run, by (step_index, task_index). A batch without
-- any comes back as it is. p_outputs: by ordinal.
create or replace function pgflow._find_type_violations(p_callbacks pgflow.callback[], p_outputs jsonb[]) returns pgflow.callback[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_violating int[] := array(
    select g.ordinal
    from unnest(p_callbacks) g
    join pgflow.step_states s on s.run_id = any (array[g.run_id]) and s.step_slug = g.step_slug
    join pgflow.steps d on d.flow_slug = any (array[s.flow_slug]) and d.step_slug = s.step_slug
    where g.verdict = 'done' and jsonb_typeof(coalesce(p_outputs[g.ordinal], 'null')) <> 'array' and d.step_type = 'single' and exists (
      select
      from pgflow.deps e
      join pgflow.steps child on child.flow_slug = any (array[e.flow_slug]) and child.step_slug = e.step_slug
      where e.flow_slug = any (array[d.flow_slug]) and e.dep_slug = d.step_slug and child.step_type = 'map'
    )
  );
begin
  if v_violating = '{}' then
    return p_callbacks;
  end if;
  return array(
    select (
      j.ordinal, j.run_id, j.step_slug, j.task_index, j.claim_no, j.message, j.delay, j.is_permanent, j.is_free,
      case
        when j.verdict = 'done' and j.is_behind then 'stale'
        when j.violates then 'violation'
        else j.verdict
      end
    )::pgflow.callback
    from (
      select g.*, g.ordinal = any (v_violating) as violates,
        coalesce(bool_or(g.ordinal = any (v_violating)) over (
          partition by g.run_id order by d.step_index, g.task_index, g.ordinal rows between unbounded preceding and 1 preceding
        ), false) as is_behind
      from unnest(p_callbacks) g
      left join pgflow.step_states s on s.run_id = any (array[g.run_id]) and s.step_slug = g.step_slug
      left join pgflow.steps d on d.flow_slug = any (array[s.flow_slug]) and d.step_slug = s.step_slug
    ) j
  );
end;
$$;
