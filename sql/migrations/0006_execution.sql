-- Retries of runs, what still keeps a version alive, and what a worker's last reload came to.

-- A run is retried once: a second retry finds the first.
create unique index runs_restart_of_run_id_key on pgflow.runs (restart_of_run_id) where restart_of_run_id is not null;
-- Whether any started run of a flow exists, however many have ended.
-- Its predicate is not one of the path of a task, whose plans must not take it for a way to all started runs.
create index runs_open_flow_slug_idx on pgflow.runs (flow_slug) where num_nonnulls(completed_at, failed_at, cancelled_at) = 0;

alter table pgflow.workers
  add column last_reload_at timestamptz,
  -- Why the last reload was refused; null where it was accepted.
  add column last_reload_error text;

-- Its answer has grown by a column.
drop function if exists pgflow.worker_heartbeat(uuid, uuid[], text[], int[], bigint[]);
