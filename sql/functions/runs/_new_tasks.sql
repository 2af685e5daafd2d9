-- Returns the tasks that steps have when they start: one, or one for each element of the array that a map reads. In the
-- order of queue, start delay, run, step and task_index.
create or replace function pgflow._new_tasks(p_steps pgflow.step_key[]) returns setof pgflow.new_task
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select d.queue_name, coalesce(d.opt_start_delay, 0), s.flow_slug, s.run_id, s.step_slug, t.task_index, t.input
    from unnest(p_steps) n
    join pgflow.step_states s on s.run_id = any (array[n.run_id]) and s.step_slug = n.step_slug
    join pgflow.runs r on r.run_id = any (array[s.run_id])
    cross join lateral (
      select d.* from pgflow.steps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug limit 1
    ) d
    cross join lateral (
      select 0 as task_index, null::jsonb as input where d.step_type = 'single'
      union all
      select (e.n - 1)::int, e.value
      from jsonb_array_elements(case
        when d.step_type = 'single' then '[]'
        when d.deps_count = 0 then r.input
        else (
          select p.output
          from pgflow.deps p_dep
          cross join lateral (
            select p.output from pgflow.step_states p where p.run_id = s.run_id and p.step_slug = p_dep.dep_slug limit 1
          ) p
          where p_dep.flow_slug = any (array[s.flow_slug]) and p_dep.step_slug = s.step_slug
        )
      end) with ordinality as e (value, n)
    ) t
    order by d.queue_name, coalesce(d.opt_start_delay, 0), n.run_id, d.step_index, t.task_index;
end;
$$;
