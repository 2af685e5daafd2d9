-- run_task_counts(run_id) -> one row: the run's status, and how many of its tasks wait and how many are claimed; no row
-- for an unknown run.
create or replace function pgflow.run_task_counts(p_run_id uuid) returns table (run_id uuid, status text, queued bigint, started bigint)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select r.run_id, r.status, t.queued, t.started
  from pgflow.runs r
  cross join lateral (
    select count(*) filter (where t.status = 'queued') as queued, count(*) filter (where t.status = 'started') as started
    from pgflow.step_tasks t
    where t.run_id = r.run_id
  ) t
  where r.run_id = p_run_id;
$$;
