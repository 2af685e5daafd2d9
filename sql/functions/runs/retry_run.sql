-- retry_run(run_id) -> the row of a new run of the same version and input; no row for an unknown run. For failed and
-- cancelled runs. A started run is answered itself: its tasks that wait for their next attempt become due
-- (_hasten_tasks). Steps that were completed keep their outputs and do not run; a map that was not completed
-- repeats those of its elements that were not; skipped steps are evaluated again. A second retry of the same run returns the first. The idempotency key moves
-- to the new run: starting with it again answers with the newest run of the chain, and pruning the old one does not
-- free it.
-- Raises object_not_in_prerequisite_state with the reason if it is refused.
-- Locks: for a run of an inactive version the deployment lock, shared, since no deployment may take its handlers away
-- before it is seen; the alias, shared; and the retried run; until commit.
create or replace function pgflow.retry_run(run_id uuid) returns setof pgflow.runs
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_run pgflow.runs;
  v_new_run_id uuid;
begin
  perform pgflow._share_deployments()
  from pgflow.runs r join pgflow.flow_aliases a on a.flow_alias = r.flow_alias
  where r.run_id = retry_run.run_id and a.active_flow_slug is distinct from r.flow_slug;
  perform pgflow._share_alias(r.flow_alias) from pgflow.runs r where r.run_id = retry_run.run_id;
  perform pgflow.lock_runs(array[retry_run.run_id]);
  select r.* into v_run from pgflow.runs r where r.run_id = retry_run.run_id;
  if not found then
    return;
  end if;
  if v_run.status = 'started' then
    perform pgflow._hasten_tasks(array[v_run.run_id], null);
    return next v_run;
    return;
  end if;
  select r.run_id into v_new_run_id from pgflow.runs r where r.restart_of_run_id = v_run.run_id;
  if not found then
    perform pgflow._check_retry(v_run);
    update pgflow.runs r set idempotency_key = null where r.run_id = v_run.run_id and r.idempotency_key is not null;
    insert into pgflow.runs (flow_slug, flow_alias, started_as, input, remaining_steps, idempotency_key, restart_of_run_id)
    values (
      v_run.flow_slug, v_run.flow_alias, v_run.started_as, v_run.input,
      (select count(*) from pgflow.step_states s where s.run_id = v_run.run_id and s.status <> 'completed'), v_run.idempotency_key, v_run.run_id
    )
    -- Only a transaction with an older snapshot can meet one here, and fails with serialization_failure.
    on conflict (restart_of_run_id) where restart_of_run_id is not null do nothing
    returning runs.run_id into v_new_run_id;
    perform pgflow._begin_runs(array[v_new_run_id], v_run.run_id);
  end if;
  return query select r.* from pgflow.runs r where r.run_id = v_new_run_id;
end;
$$;
