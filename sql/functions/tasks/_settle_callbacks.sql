-- Returns the callbacks of a batch once it is recorded, each with its answer as its verdict: 'done', 'already' or
-- 'stale'. A duplicate is 'already' if the first callback of its claim was recorded, else 'stale', as if it came alone.
create or replace function pgflow._settle_callbacks(p_callbacks pgflow.callback[]) returns pgflow.callback[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select (
      f.ordinal, f.run_id, f.step_slug, f.task_index, f.claim_no, f.message, f.delay, f.is_permanent, f.is_free,
      case
        when f.verdict in ('already', 'stale') then f.verdict
        when f.verdict <> 'duplicate' then 'done'
        when f.first_verdict in ('already', 'stale') then 'stale'
        else 'already'
      end
    )::pgflow.callback
    from (
      select g.*, first_value(g.verdict) over (partition by g.run_id, g.step_slug, g.task_index, g.claim_no order by g.ordinal) as first_verdict
      from unnest(p_callbacks) g
    ) f
  );
end;
$$;
