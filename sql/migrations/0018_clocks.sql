-- What a worker knows of the database's clock, and where recovery stands in its walk over active tasks.

alter table pgflow.workers
  -- Tasks that are past their time by the clock and that the worker listed in its last heartbeat all the same; see _claim_key.
  add column overdue_tasks text[] not null default '{}',
  -- When, by the clock as it was then, a heartbeat found that the clock had jumped, and by how much: backwards where it is negative.
  add column clock_jumped_at timestamptz,
  add column clock_jumped_by interval;

create table pgflow.recoveries (
  queue_name text primary key,
  -- The last task that was looked at; null before the first one, or before the first one of a flow.
  flow_slug text,
  run_id uuid,
  step_slug text,
  task_index int,
  -- When the messages were last pulled back after the clock had been set back.
  pulled_back_at timestamptz
) with (fillfactor = 50);

-- The open runs of a flow in an order that a walk can resume.
drop index pgflow.runs_open_flow_slug_idx;
create index runs_open_flow_slug_idx on pgflow.runs (flow_slug, run_id) where num_nonnulls(completed_at, failed_at, cancelled_at) = 0;

-- It is told the time that has passed on the worker's own clock.
drop function if exists pgflow.worker_heartbeat(uuid, uuid[], text[], int[], bigint[]);

-- They have grown by a parameter, or have another name.
drop function if exists pgflow._stall_reason(pgflow.step_tasks, boolean);
drop function if exists pgflow._tasks_in_flight(text);
drop function if exists pgflow._end_stalled_transactions(text[], boolean);
drop function if exists pgflow._recover_queues(text[], boolean);
