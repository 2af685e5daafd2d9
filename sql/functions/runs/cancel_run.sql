-- cancel_run(run_id, reason) -> the run's row; no row for an unknown run. A started run becomes cancelled, with the
-- reason as its error_message: its queued and started tasks become cancelled, their messages are archived, its steps
-- keep the state they have. Workers that run one of its handlers are notified at once; what such a handler still
-- returns is refused. A run that has ended is returned unchanged: a repeated call does nothing.
-- Locks: the run, tasks, then queue rows; until commit.
create or replace function pgflow.cancel_run(run_id uuid, reason text default null) returns setof pgflow.runs
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue_names text[];
begin
  perform pgflow.lock_runs(array[cancel_run.run_id]);
  update pgflow.runs r
  set status = 'cancelled', cancelled_at = greatest(statement_timestamp(), r.started_at), error_message = left(cancel_run.reason, 8192)
  where r.run_id = cancel_run.run_id and r.status = 'started';
  if found then
    v_queue_names := array(
      select distinct t.queue_name from pgflow.step_tasks t where t.run_id = cancel_run.run_id and t.status = 'started'
    );
    perform pgflow._cancel_tasks(array[cancel_run.run_id]);
    perform pgflow._send_run_events(array[cancel_run.run_id]);
    perform pgflow._forbid_prepare();
    perform pg_notify('pgflow:' || q.queue_name, 'cancelled') from unnest(v_queue_names) as q (queue_name);
  end if;
  return query select r.* from pgflow.runs r where r.run_id = cancel_run.run_id;
end;
$$;
