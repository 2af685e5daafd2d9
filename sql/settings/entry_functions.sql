-- Sets the planner's settings of the functions by which sessions enter the path of a task. What they call runs under
-- them, so they stand on these alone: a set of them costs about 15 microseconds a call. With them every access is by an
-- index and each statement has one plan, whatever the statistics say.
do $$
declare
  v_function regprocedure;
begin
  for v_function in
    select p.oid::regprocedure
    from (
      values
      ('cancel_run'),
      ('claim_tasks'),
      ('complete_task'),
      ('complete_tasks'),
      ('complete_transaction'),
      ('fail_task'),
      ('fail_tasks'),
      ('lock_batch'),
      ('lock_runs'),
      ('open_transaction'),
      ('reconcile_claims'),
      ('recover_tasks'),
      ('release_tasks'),
      ('requeue_stalled_tasks'),
      ('retry_run'),
      ('start_flow'),
      ('start_flows'),
      ('start_tasks'),
      ('start_tasks_of_queue'),
      ('worker_heartbeat')
    ) e (name)
    left join pg_catalog.pg_proc p on p.pronamespace = 'pgflow'::regnamespace and p.proname = e.name
  loop
    execute format(
      'alter function %s set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_indexonlyscan = off '
      'set jit = off set plan_cache_mode = force_generic_plan', v_function
    );
  end loop;
end;
$$;
