-- What goes wrong in a worker while it lasts, as the worker reports it; worker_status shows it.
drop function if exists pgflow.worker_status(boolean);
drop function if exists pgflow.report_unrecorded(uuid, int, text);
drop function if exists pgflow.report_recovery(uuid, text);

alter table pgflow.workers
  drop column unrecorded_since,
  drop column unrecorded_count,
  drop column unrecorded_error,
  drop column recovery_failing_since,
  drop column recovery_error;

create table pgflow.worker_troubles (
  worker_id uuid not null references pgflow.workers (worker_id) on delete cascade,
  trouble text not null
    check (trouble in ('unrecorded', 'claim', 'reconcile', 'heartbeat', 'recovery', 'executors', 'descriptors', 'connections')),
  since timestamptz not null default clock_timestamp(),
  count int,
  error text not null,
  primary key (worker_id, trouble)
);
