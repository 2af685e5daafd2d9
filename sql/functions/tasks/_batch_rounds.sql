-- The rounds in which a batch is recorded, one for each position; null where one does for all. In runs of flows where an unmet condition can fail the run, the n-th step
-- of the run in the batch, by step_index, is recorded in round n: it may find the run ended by what came before.
create or replace function pgflow._batch_rounds(p_run_ids uuid[], p_step_slugs text[]) returns int[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rounds int[];
begin
  select array_agg(case when o.can_fail then o.rank else 1 end order by o.n) into v_rounds
  from (
    select g.n, dense_rank() over (partition by g.run_id order by d.step_index) as rank,
      exists (
        select from pgflow.steps c
        where c.flow_slug = any (array[r.flow_slug]) and c.when_unmet = 'fail'
          and num_nonnulls(c.required_input_pattern, c.forbidden_input_pattern) > 0
      ) as can_fail
    from unnest(p_run_ids, p_step_slugs) with ordinality as g (run_id, step_slug, n)
    left join pgflow.runs r on r.run_id = any (array[g.run_id])
    left join pgflow.steps d on d.flow_slug = any (array[r.flow_slug]) and d.step_slug = g.step_slug
  ) o;
  return case when v_rounds <@ array[1] then null else v_rounds end;
end;
$$;
