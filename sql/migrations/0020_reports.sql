-- worker_heartbeat also answers whether the worker has no row.
drop function if exists pgflow.worker_heartbeat(uuid, uuid[], text[], int[], bigint[], bigint);

-- Since when recovery fails in a worker, and the last error. Null while it works.
alter table pgflow.workers
  add column recovery_failing_since timestamptz,
  add column recovery_error text;
