-- Who may call what. Nothing is PUBLIC's; each group role that exists holds just its own part.
revoke all on all functions in schema pgflow from public;
revoke all on all tables in schema pgflow from public;

do $$
declare
  v_grant record;
begin
  for v_grant in
    select g.role_name, g.privilege
    from (
      values
        ('pgflow_starter', 'usage on schema pgflow'),
        ('pgflow_starter', 'execute on function pgflow.start_flow(text, jsonb, uuid, text)'),
        ('pgflow_starter', 'select on pgflow.runs, pgflow.step_states, pgflow.step_tasks, pgflow.steps, pgflow.deps'),
        ('pgflow_starter', 'select on pgflow.flows, pgflow.flow_aliases, pgflow.workers, pgflow.migrations'),
        ('pgflow_starter', 'select on pgflow.run_status'),
        ('pgflow_starter', 'execute on function pgflow.start_flow_with_states(text, jsonb, uuid), pgflow.get_run_with_states(uuid)'),
        ('pgflow_starter', 'execute on function pgflow.failing_task(uuid, text)'),
        ('pgflow_starter', 'execute on function pgflow.cancel_run(uuid, text)'),
        ('pgflow_starter', 'execute on function pgflow.retry_run(uuid)'),
        ('pgflow_worker', 'usage on schema pgflow'),
        ('pgflow_worker', 'select on pgflow.migrations, pgflow.settings'),
        ('pgflow_worker', 'execute on function pgflow.deploy_flows(uuid, text, text, jsonb, bigint)'),
        ('pgflow_worker', 'execute on function pgflow.lock_runs(uuid[], text)'),
        ('pgflow_worker', 'execute on function pgflow.claim_tasks(uuid, bigint, text, int)'),
        ('pgflow_worker', 'execute on function pgflow.complete_tasks(uuid[], text[], int[], bigint[], jsonb[])'),
        ('pgflow_worker', 'execute on function pgflow.fail_tasks(uuid[], text[], int[], bigint[], text[], float8[], boolean[], boolean[])'),
        ('pgflow_worker', 'execute on function pgflow.release_tasks(uuid[], text[], int[], bigint[])'),
        ('pgflow_worker', 'execute on function pgflow.run_input(uuid)'),
        ('pgflow_worker', 'execute on function pgflow.worker_heartbeat(uuid, uuid[], text[], int[], bigint[])'),
        ('pgflow_worker', 'execute on function pgflow.recover_tasks(uuid)'),
        ('pgflow_worker', 'execute on function pgflow.reconcile_claims(uuid, uuid[], text[], int[], bigint[])'),
        ('pgflow_worker', 'execute on function pgflow.mark_worker_stopped(uuid)'),
        ('pgflow_worker', 'execute on function pgflow.track_worker_function(text)'),
        ('pgflow_worker', 'execute on function pgflow.preview_deployment(jsonb)'),
        ('pgflow_worker', 'execute on function pgflow.report_reload(uuid, text)'),
        ('pgflow_worker', 'execute on function pgflow.installation_id()'),
        ('pgflow_worker', 'execute on function pgflow.open_transaction(uuid, text, int, bigint)'),
        ('pgflow_worker', 'execute on function pgflow.complete_transaction(uuid, uuid, text, int, bigint, jsonb)'),
        ('pgflow_handler', 'usage on schema pgflow'),
        ('pgflow_handler', 'execute on function pgflow.installation_id()'),
        ('pgflow_handler', 'execute on function pgflow.open_transaction(uuid, text, int, bigint)'),
        ('pgflow_handler', 'execute on function pgflow.complete_transaction(uuid, uuid, text, int, bigint, jsonb)'),
        ('pgflow_reader', 'usage on schema pgflow'),
        ('pgflow_reader', 'select on all tables in schema pgflow'),
        ('pgflow_reader', 'execute on function pgflow.check_invariants()'),
        ('pgflow_reader', 'execute on function pgflow.queue_figures(text), pgflow.get_run_with_states(uuid), pgflow.is_local()'),
        ('pgflow_reader', 'execute on function pgflow.uncovered_pairs(text, text[], text[])'),
        ('pgflow_reader', 'execute on function pgflow.rollout_status(), pgflow.worker_tasks(), pgflow.failing_task(uuid, text)'),
        ('pgflow_compat', 'usage on schema pgflow'),
        ('pgflow_compat', 'execute on function pgflow.start_tasks(text, bigint[], uuid)'),
        ('pgflow_compat', 'execute on function pgflow.requeue_stalled_tasks()'),
        ('pgflow_compat', 'execute on function pgflow.complete_task(uuid, text, int, jsonb)'),
        ('pgflow_compat', 'execute on function pgflow.fail_task(uuid, text, int, text)')
    ) as g (role_name, privilege)
    join pg_catalog.pg_roles r on r.rolname = g.role_name
  loop
    execute format('grant %s to %I', v_grant.privilege, v_grant.role_name);
  end loop;
end;
$$;
