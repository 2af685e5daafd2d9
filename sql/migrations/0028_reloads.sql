-- What luaflow reload asks of a worker, and which request the worker answered last (request_reload).
drop function if exists pgflow.worker_heartbeat(uuid, uuid[], text[], int[], bigint[], bigint);
drop function if exists pgflow.report_reload(uuid, text);

alter table pgflow.workers
  add column reload_request bigint,
  add column reload_answer bigint;
create sequence pgflow.reload_requests;

alter table pgflow.worker_troubles
  drop constraint worker_troubles_trouble_check,
  add constraint worker_troubles_trouble_check check (trouble in (
    'unrecorded', 'claim', 'reconcile', 'heartbeat', 'recovery', 'executors', 'descriptors', 'connections', 'held_back'
  ));

-- Of a flow that a file of luaflow dev had: its file, and since when no file has it.
alter table pgflow.flows
  add column source_file text,
  add column missing_since timestamptz;
