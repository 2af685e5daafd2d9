-- Returns the answers of a batch once it is recorded: a duplicate is 'already' if the first callback of its claim was
-- recorded, else 'stale', as if it came alone.
create or replace function pgflow._settle_duplicates(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[], p_answers text[]
) returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if not 'duplicate' = any (p_answers) then
    return p_answers;
  end if;
  return (
    select array_agg(case
      when f.answer <> 'duplicate' then f.answer
      when f.first_answer = 'done' then 'already'
      else 'stale'
    end order by f.n)
    from (
      select g.n, g.answer,
        first_value(g.answer) over (partition by g.run_id, g.step_slug, g.task_index, g.claim_no order by g.n) as first_answer
      from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos, p_answers) with ordinality
        as g (run_id, step_slug, task_index, claim_no, answer, n)
    ) f
  );
end;
$$;
