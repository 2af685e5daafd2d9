-- Returns the batch with what each callback finds as its verdict: 'done' if it comes from the claim that is current and
-- its step and run are under way, 'already' if this very claim's outcome is recorded, else 'stale'. A second callback
-- of a claim in one batch is a 'duplicate' of the first, whose verdict decides its answer (_settle_callbacks). The runs
-- are locked by the caller, so a verdict stays true until commit.
create or replace function pgflow._judge_callbacks(p_callbacks pgflow.callback[]) returns pgflow.callback[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select (
      j.ordinal, j.run_id, j.step_slug, j.task_index, j.claim_no, j.message, j.delay, j.is_permanent, j.is_free,
      case
        when j.settled_claim_no = j.claim_no then 'already'
        when not j.is_current then 'stale'
        when j.earlier > 0 then 'duplicate'
        else 'done'
      end
    )::pgflow.callback
    from (
      select g.*, t.settled_claim_no,
        coalesce(t.status = 'started' and t.claim_no = g.claim_no and s.status = 'started' and r.status = 'started', false) as is_current,
        row_number() over (partition by g.run_id, g.step_slug, g.task_index, g.claim_no order by g.ordinal) - 1 as earlier
      from unnest(p_callbacks) g
      left join pgflow.step_tasks t on t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
      left join pgflow.step_states s on s.run_id = any (array[t.run_id]) and s.step_slug = t.step_slug
      left join pgflow.runs r on r.run_id = any (array[t.run_id])
    ) j
  );
end;
$$;
