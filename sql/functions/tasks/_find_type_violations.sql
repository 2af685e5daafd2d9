-- Marks in the answers of a batch each output that a map reads and that is not an array: 'violation' for the first of a
-- run, which ends it, and 'stale' for what comes after it in the run, by (step_index, task_index). Answers without any
-- come back as they are.
create or replace function pgflow._find_type_violations(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_outputs jsonb[], p_answers text[]
) returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_violates boolean[];
begin
  select array_agg(
    coalesce(g.answer = 'done' and jsonb_typeof(coalesce(g.output, 'null')) <> 'array' and d.step_type = 'single' and exists (
      select
      from pgflow.deps e
      join pgflow.steps child on child.flow_slug = any (array[e.flow_slug]) and child.step_slug = e.step_slug
      where e.flow_slug = any (array[d.flow_slug]) and e.dep_slug = d.step_slug and child.step_type = 'map'
    ), false) order by g.n)
  into v_violates
  from unnest(p_run_ids, p_step_slugs, p_outputs, p_answers) with ordinality as g (run_id, step_slug, output, answer, n)
  left join pgflow.step_states s on s.run_id = any (array[g.run_id]) and s.step_slug = g.step_slug
  left join pgflow.steps d on d.flow_slug = any (array[s.flow_slug]) and d.step_slug = s.step_slug;
  if not true = any (v_violates) then
    return p_answers;
  end if;

  return (
    select array_agg(
      case
        when j.answer = 'done' and j.behind_violation then 'stale'
        when j.violates then 'violation'
        else j.answer
      end order by j.n)
    from (
      select g.n, g.answer, g.violates,
        coalesce(bool_or(g.violates) over (
          partition by g.run_id order by d.step_index, g.task_index, g.n rows between unbounded preceding and 1 preceding
        ), false) as behind_violation
      from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_answers, v_violates) with ordinality
        as g (run_id, step_slug, task_index, answer, violates, n)
      left join pgflow.step_states s on s.run_id = any (array[g.run_id]) and s.step_slug = g.step_slug
      left join pgflow.steps d on d.flow_slug = any (array[s.flow_slug]) and d.step_slug = s.step_slug
    ) j
  );
end;
$$;
