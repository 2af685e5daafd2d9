-- run_summary(run_id) -> one row on how a run stands, for callers that know its id; no row for an unknown run.
-- duration_ms ends with the run; age_ms continues, until now(). restarted_as_run_id: the run that retries it.
create or replace function pgflow.run_summary(p_run_id uuid) returns table (
  run_id uuid, flow_slug text, flow_alias text, status text, duration_ms bigint, age_ms bigint, error_step_slug text, error_message text,
  restart_of_run_id uuid, restarted_as_run_id uuid, output jsonb
)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select r.run_id, r.flow_slug, r.flow_alias, r.status,
    (extract(epoch from coalesce(r.completed_at, r.failed_at, r.cancelled_at, greatest(now(), r.started_at)) - r.started_at) * 1000)::bigint,
    (extract(epoch from greatest(now(), r.started_at) - r.started_at) * 1000)::bigint,
    r.error_step_slug, r.error_message, r.restart_of_run_id,
    (select n.run_id from pgflow.runs n where n.restart_of_run_id = r.run_id),
    r.output
  from pgflow.runs r
  where r.run_id = p_run_id;
$$;
