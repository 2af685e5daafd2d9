-- Returns what is to happen to each of the given steps that is ready: 'start', 'empty' (a map over nothing), or, if its
-- condition is unmet, its when_unmet: 'fail', 'skip', 'skip-cascade'. Steps that are not ready are left out. In the
-- order of step_index. A condition is tested against the run's input for a root step, else against the table of
-- completed dependencies.
create or replace function pgflow._judge_ready_steps(p_steps pgflow.step_key[]) returns pgflow.step_verdict[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select (s.run_id, s.step_slug,
      case
        when (d.required_input_pattern is not null or d.forbidden_input_pattern is not null) and not (
          select (d.required_input_pattern is null or t.document @> d.required_input_pattern)
            and (d.forbidden_input_pattern is null or not t.document @> d.forbidden_input_pattern)
          from (
            select case when d.deps_count = 0 then r.input else (
              select coalesce(case
                when pg_column_size(a.outputs) < 500000 then (
                  select jsonb_object_agg(o.slug, coalesce(o.output, 'null')) from unnest(a.slugs, a.outputs) as o (slug, output)
                )
                else (
                  select ('{' || string_agg('"' || o.slug || '":' || coalesce(o.output, 'null'), ',') || '}')::jsonb
                  from unnest(a.slugs, a.outputs) as o (slug, output)
                )
              end, '{}')
              from (
                select array_agg(p.step_slug) as slugs, array_agg(p.output) as outputs
                from pgflow.deps e
                cross join lateral (
                  select p.step_slug, p.output from pgflow.step_states p
                  where p.run_id = s.run_id and p.step_slug = e.dep_slug and p.status = 'completed' limit 1
                ) p
                where e.flow_slug = s.flow_slug and e.step_slug = s.step_slug
              ) a
            ) end as document
          ) t
        ) then d.when_unmet
        when s.initial_tasks = 0 then 'empty'
        else 'start'
      end, null)::pgflow.step_verdict
    from unnest(p_steps) c
    join pgflow.step_states s on s.run_id = any (array[c.run_id]) and s.step_slug = c.step_slug
    join pgflow.runs r on r.run_id = any (array[s.run_id])
    cross join lateral (
      select d.* from pgflow.steps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug limit 1
    ) d
    where s.status = 'created' and s.remaining_deps = 0 and r.status = 'started'
    order by c.run_id, d.step_index
  );
end;
$$;
