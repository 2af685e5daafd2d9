-- run_samples(newest, longest) -> {flow: {"inputs": [of its newest runs], "outputs": {step: [of its tasks in these runs]}}}, from which
-- the program infers types for editors. At most `newest` runs of a flow and tasks of a step in one run; values above `longest` bytes
-- are left out.
create or replace function pgflow.run_samples(p_newest int, p_longest int) returns jsonb
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  with chosen as materialized (
    select f.flow_slug, r.run_id, r.input
    from pgflow.flows f
    cross join lateral (
      select n.run_id, n.input from pgflow.runs n where n.flow_slug = f.flow_slug order by n.started_at desc, n.run_id limit p_newest
    ) r
  ),
  outputs as (
    select c.flow_slug, t.step_slug, jsonb_agg(t.output order by t.task_index) as list
    from chosen c
    join pgflow.step_tasks t on t.run_id = any (array[c.run_id])
    where t.status = 'completed' and t.task_index < p_newest and length(t.output::text) <= p_longest
    group by c.flow_slug, t.step_slug
  )
  select coalesce(jsonb_object_agg(c.flow_slug, jsonb_build_object(
    'inputs', c.list,
    'outputs', (select coalesce(jsonb_object_agg(o.step_slug, o.list), '{}') from outputs o where o.flow_slug = c.flow_slug)
  )), '{}')
  from (
    select i.flow_slug, coalesce(jsonb_agg(i.input) filter (where length(i.input::text) <= p_longest), '[]') as list
    from chosen i
    group by i.flow_slug
  ) c;
$$;
