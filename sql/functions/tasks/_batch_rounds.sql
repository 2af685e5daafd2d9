-- Returns the rounds in which a batch is recorded, in their order; nearly always one. In runs of flows in which an
-- unmet condition can fail the run, the n-th step of the run in the batch, by step_index, is recorded in round n: it
-- may find the run ended by what came before.
create or replace function pgflow._batch_rounds(p_callbacks pgflow.callback[]) returns table (round pgflow.callback[])
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_flow_slugs text[] := array(
    select f.flow_slug
    from (
      select distinct r.flow_slug
      from unnest(p_callbacks) g
      cross join lateral (select r.flow_slug from pgflow.runs r where r.run_id = g.run_id limit 1) r
    ) f
    where (
      select bool_or(d.when_unmet = 'fail' and num_nonnulls(d.required_input_pattern, d.forbidden_input_pattern) > 0)
      from pgflow.steps d where d.flow_slug = f.flow_slug
    )
  );
begin
  if v_flow_slugs = '{}' then
    return query select p_callbacks;
    return;
  end if;
  return query
    select array_agg(o.callback)
    from (
      select g as callback,
        case when s.flow_slug = any (v_flow_slugs) then dense_rank() over (partition by g.run_id order by d.step_index) else 1 end as rank
      from unnest(p_callbacks) g
      left join pgflow.step_states s on s.run_id = any (array[g.run_id]) and s.step_slug = g.step_slug
      left join pgflow.steps d on d.flow_slug = any (array[s.flow_slug]) and d.step_slug = s.step_slug
    ) o
    group by o.rank
    order by o.rank;
end;
$$;
