-- prune_data_older_than(retention, max_runs) -> how many runs it deleted; 0 if nothing is left to delete. Callers loop,
-- each call in its own transaction. For operators. Deletes runs that ended before now() - retention, those that started
-- first first, at most max_runs and of 100 queues, with their states, tasks, idempotency keys and own messages
-- (queue_name, message_id), archived ones and what may be left in the queue. Then the rows of workers that stopped, or
-- died, and whose last heartbeat is older than that, as long as no started task is theirs. Active runs and definitions
-- are kept. Raises invalid_parameter_value for a negative retention and for max_runs below 1.
-- Locks: the runs, leaving those that are locked for the next time.
create or replace function pgflow.prune_data_older_than(retention pgflow.retention, max_runs int default 10000) returns bigint
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := now() - prune_data_older_than.retention;
  v_run_ids uuid[];
begin
  if prune_data_older_than.retention is null or v_before > now() then
    raise exception 'the retention is %, but must be an interval of zero or more', quote_nullable(prune_data_older_than.retention::text)
      using errcode = 'invalid_parameter_value', hint = 'for example: interval ''30 days''';
  end if;
  if coalesce(prune_data_older_than.max_runs, 0) < 1 then
    raise exception 'max_runs is %, but must be 1 or more', quote_nullable(prune_data_older_than.max_runs) using errcode = 'invalid_parameter_value';
  end if;
  v_run_ids := pgflow._runs_of_few_queues(array(
    select r.run_id from pgflow.runs r
    where r.started_at < v_before and r.status <> 'started' and coalesce(r.completed_at, r.failed_at, r.cancelled_at) < v_before
    order by r.started_at, r.run_id limit prune_data_older_than.max_runs
    for update skip locked
  ));
  perform pgflow._delete_runs(v_run_ids);
  perform pgflow._forget_workers(v_before);
  return cardinality(v_run_ids);
end;
$$;
