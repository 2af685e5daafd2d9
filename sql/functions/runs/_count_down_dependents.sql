-- Subtracts steps that have just been completed or skipped from the counters of their runs and of the steps that wait
-- for them; a map that reads one of them learns its length. A started run that has no step left completes: its output
-- is an object of the completed leaf steps' outputs, null if none completed. Large ones go over text:
-- jsonb_object_agg takes 4 s for an output of 300,000 keys, and far more than twice that for twice as many.
-- Returns the dependents, some of which may be ready now. The runs are locked by the caller.
create or replace function pgflow._count_down_dependents(p_steps pgflow.step_key[]) returns pgflow.step_key[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_completed_run_ids uuid[];
  v_dependents pgflow.step_key[];
begin
  with counted as (
    update pgflow.runs r
    set remaining_steps = r.remaining_steps - e.steps,
      status = case when r.status = 'started' and r.remaining_steps = e.steps then 'completed' else r.status end,
      completed_at = case when r.status = 'started' and r.remaining_steps = e.steps then greatest(statement_timestamp(), r.started_at) end,
      output = case when r.status = 'started' and r.remaining_steps = e.steps then (
        select case
          when pg_column_size(a.outputs) < 500000 then (
            select jsonb_object_agg(o.slug, coalesce(o.output, 'null')) from unnest(a.slugs, a.outputs) as o (slug, output)
          )
          else (
            select ('{' || string_agg('"' || o.slug || '":' || coalesce(o.output, 'null'), ',') || '}')::jsonb
            from unnest(a.slugs, a.outputs) as o (slug, output)
          )
        end
        from (
          select array_agg(s.step_slug) as slugs, array_agg(s.output) as outputs from pgflow.step_states s
          where s.run_id = r.run_id and s.status = 'completed'
            and not exists (select from pgflow.deps d where d.flow_slug = any (array[s.flow_slug]) and d.dep_slug = s.step_slug)
        ) a
      ) end
    from (select u.run_id, count(*) as steps from unnest(p_steps) u group by u.run_id) e
    where r.run_id = any (array[e.run_id])
    returning r.run_id, r.status
  )
  select array_agg(c.run_id) into v_completed_run_ids from counted c where c.status = 'completed';
  perform pgflow._send_run_events(v_completed_run_ids);

  with dependents as (
    select e.run_id, d.step_slug, count(*) as ended,
      max(case
        when child.step_type = 'single' then null
        when s.status = 'skipped' then 0
        when parent.step_type = 'map' then s.initial_tasks
        else jsonb_array_length(s.output)
      end) as array_length
    from unnest(p_steps) e
    join pgflow.step_states s on s.run_id = any (array[e.run_id]) and s.step_slug = e.step_slug
    cross join lateral (
      select d.flow_slug, d.step_slug from pgflow.deps d where d.flow_slug = s.flow_slug and d.dep_slug = s.step_slug offset 0
    ) d
    join pgflow.steps child on child.flow_slug = any (array[d.flow_slug]) and child.step_slug = d.step_slug
    cross join lateral (
      select p.step_type from pgflow.steps p where p.flow_slug = s.flow_slug and p.step_slug = s.step_slug limit 1
    ) parent
    group by e.run_id, d.step_slug
  ), counted as (
    update pgflow.step_states c
    set remaining_deps = c.remaining_deps - d.ended, initial_tasks = coalesce(c.initial_tasks, d.array_length)
    from dependents d
    where c.run_id = any (array[d.run_id]) and c.step_slug = d.step_slug and c.status = 'created'
    returning c.run_id, c.step_slug
  )
  select array_agg((c.run_id, c.step_slug)::pgflow.step_key) into v_dependents from counted c;
  return v_dependents;
end;
$$;
