-- Who may call and read what. Nothing is PUBLIC's; each group role that exists holds just its own part, whatever an
-- older program granted it.
revoke all on all functions in schema pgflow from public;
revoke all on all tables in schema pgflow from public;

do $$
declare
  v_role_name text;
  v_grant record;
begin
  for v_role_name in
    select r.rolname from pg_catalog.pg_roles r
    where r.rolname in ('pgflow_starter', 'pgflow_worker', 'pgflow_handler', 'pgflow_reader', 'pgflow_operator', 'pgflow_compat')
  loop
    execute format('revoke all on all functions in schema pgflow from %I', v_role_name);
    execute format('revoke all on all tables in schema pgflow from %I', v_role_name);
    execute format('grant usage on schema pgflow to %I', v_role_name);
  end loop;
  for v_grant in
    select r.rolname, g.privilege
    from (
      values
        -- Starts, and sees of a run whose id it knows.
        ('{starter,reader,operator,worker}'::text[], 'select on pgflow.migrations'),
        ('{starter}', 'execute on function pgflow.start_flow(text, jsonb, uuid, text), pgflow.start_flow_with_states(text, jsonb, uuid)'),
        ('{starter}', 'execute on function pgflow.start_flows(text, jsonb[], text[])'),
        ('{starter,reader,operator}', 'execute on function pgflow.run_summary(uuid), pgflow.run_steps(uuid), pgflow.run_attempts(uuid)'),
        ('{starter,reader,operator}', 'execute on function pgflow.run_details(uuid), pgflow.get_run_with_states(uuid), pgflow.failing_task(uuid, text)'),
        ('{worker}', 'select on pgflow.settings'),
        ('{worker}', 'execute on function pgflow.deploy_flows(uuid, text, text, jsonb, bigint), pgflow.await_deployment(uuid, text, text, jsonb)'),
        ('{worker}', 'execute on function pgflow.deploy_existing(uuid, text, text, jsonb, bigint), pgflow.preview_files(jsonb)'),
        ('{worker}', 'execute on function pgflow.await_files(uuid, text, jsonb, bigint)'),
        ('{worker}', 'execute on function pgflow.deploy_files(uuid, text, text, jsonb, bigint, jsonb, text[], bigint, bigint)'),
        ('{worker}', 'execute on function pgflow.lock_runs(uuid[], text), pgflow.lock_batch(uuid[], text, boolean)'),
        ('{worker}', 'execute on function pgflow.claim_tasks(uuid, bigint, text, int, int)'),
        ('{worker}', 'execute on function pgflow.complete_tasks(uuid[], text[], int[], bigint[], jsonb[])'),
        ('{worker}', 'execute on function pgflow.fail_tasks(uuid[], text[], int[], bigint[], text[], float8[], boolean[], boolean[])'),
        ('{worker}', 'execute on function pgflow.release_tasks(uuid[], text[], int[], bigint[], int[], boolean[], float8[])'),
        ('{worker}', 'execute on function pgflow.run_input(uuid)'),
        ('{worker}', 'execute on function pgflow.worker_heartbeat(uuid, uuid[], text[], int[], bigint[], bigint)'),
        ('{worker}', 'execute on function pgflow.recover_tasks(uuid)'),
        ('{worker}', 'execute on function pgflow.reconcile_claims(uuid, uuid[], text[], int[], bigint[])'),
        ('{worker}', 'execute on function pgflow.mark_worker_stopped(uuid)'),
        ('{worker}', 'execute on function pgflow.track_worker_function(text)'),
        ('{worker,reader,operator}', 'execute on function pgflow.preview_deployment(text, jsonb)'),
        ('{worker}', 'execute on function pgflow.report_reload(uuid, text, bigint), pgflow.report_trouble(uuid, text, int, text)'),
        ('{worker}', 'execute on function pgflow.report_old_generations(uuid, bigint[], int[], int[], float8[], float8[], bigint[])'),
        ('{worker,handler}', 'execute on function pgflow.installation_id()'),
        ('{worker,handler}', 'execute on function pgflow.open_transaction(uuid, text, int, bigint, text, bigint)'),
        ('{worker,handler}', 'execute on function pgflow.complete_transaction(uuid, uuid, text, int, bigint, jsonb)'),
        ('{worker,handler,operator}', 'execute on function pgflow.rehearse_transaction(bigint)'),
        ('{reader,operator}', 'select on all tables in schema pgflow'),
        ('{reader,operator}', 'execute on function pgflow.check_invariants(boolean), pgflow.queue_figures(text), pgflow.is_local()'),
        ('{reader,operator}', 'execute on function pgflow.lacking_workers(text)'),
        ('{reader,operator}', 'execute on function pgflow.step_states(pgflow.runs), pgflow.step_tasks(pgflow.step_states)'),
        ('{reader,operator}', 'execute on function pgflow.runs(pgflow.step_states), pgflow.steps(pgflow.step_states)'),
        ('{reader,operator}', 'execute on function pgflow.uncovered_pairs(text, text[], text[]), pgflow.rollout_status(), pgflow.worker_tasks()'),
        ('{reader,operator}', 'execute on function pgflow.queue_faults(text), pgflow.trust_faults(), pgflow.lock_holders()'),
        ('{reader,operator}', 'execute on function pgflow.worker_status(boolean), pgflow.worker_function_status()'),
        ('{reader,operator}', 'execute on function pgflow.run_task_counts(uuid), pgflow.run_samples(int, int)'),
        ('{reader,operator}', 'execute on function pgflow.doctor_owner(), pgflow.doctor_queues(), pgflow.doctor_workers(), pgflow.doctor_locks()'),
        ('{reader,operator}', 'execute on function pgflow.doctor_clock(), pgflow.doctor_functions(), pgflow.doctor_events(), pgflow.doctor_disk()'),
        ('{reader,operator}', 'execute on function pgflow.doctor_invariants(boolean)'),
        ('{operator}', 'execute on function pgflow.cancel_run(uuid, text), pgflow.retry_run(uuid), pgflow.prune_data_older_than(pgflow.retention, int)'),
        ('{operator}', 'execute on function pgflow.begin_rollout(text[], text[]), pgflow.finish_rollout(boolean)'),
        ('{operator}', 'execute on function pgflow.enable_worker_functions(text[]), pgflow.disable_worker_functions(text[])'),
        ('{operator}', 'execute on function pgflow.forget_worker_function(text), pgflow.retire_alias(text), pgflow.forget_flow(text)'),
        ('{operator}', 'execute on function pgflow.adopt_queue(text), pgflow.request_reload(text[]), pgflow.reload_answers(uuid[], bigint)'),
        ('{operator}', 'execute on function pgflow.moved_aliases(uuid[], timestamptz)'),
        -- What pgflow's own worker does, some of it by statements on tables.
        ('{compat}', 'execute on function pgflow.start_tasks(text, bigint[], uuid), pgflow.start_tasks_of_queue(text, bigint[], uuid, text)'),
        ('{compat}', 'execute on function pgflow.ensure_flow_compiled(text, jsonb, boolean), pgflow.is_local()'),
        ('{compat}', 'execute on function pgflow.track_worker_function(text), pgflow.mark_worker_stopped(uuid)'),
        ('{compat}', 'execute on function pgflow.set_vt_batch(text, bigint[], int[]), pgflow.requeue_stalled_tasks()'),
        ('{compat}', 'select, insert (worker_id, queue_name, function_name, started_at, last_heartbeat_at) on pgflow.workers'),
        ('{compat}', 'update (queue_name, function_name, last_heartbeat_at, deprecated_at, stopped_at) on pgflow.workers'),
        ('{compat}', 'execute on function pgflow.complete_task(uuid, text, int, jsonb)'),
        ('{compat}', 'execute on function pgflow.fail_task(uuid, text, int, text)')
    ) as g (kinds, privilege)
    cross join unnest(g.kinds) k (kind)
    join pg_catalog.pg_roles r on r.rolname = 'pgflow_' || k.kind
  loop
    execute format('grant %s to %I', v_grant.privilege, v_grant.rolname);
  end loop;
  if exists (select from pg_catalog.pg_roles r where r.rolname = 'pgflow_compat') and not has_schema_privilege('pgflow_compat', 'pgmq', 'usage')
    and has_schema_privilege('pgmq', 'usage with grant option')
  then
    grant usage on schema pgmq to pgflow_compat;
  end if;
  perform pgflow._grant_polling(q.queue_name) from pgflow.queues q;
  for v_role_name in
    select distinct p.grantee::regrole from pg_catalog.pg_class c cross join pg_catalog.aclexplode(c.relacl) p
    where c.oid = 'pgflow.transaction_keys'::pg_catalog.regclass and p.grantee <> c.relowner
  loop
    execute format('revoke all on pgflow.transaction_keys from %s', v_role_name);
  end loop;
end;
$$;
