-- forget_worker_function(function_name): deletes a worker function, and with it its part in the record of finished
-- rollouts. For operators.
-- Refused, with the reason (object_not_in_prerequisite_state), while a worker of it lives or the open rollout holds it.
-- Raises undefined_object for an unknown one, so a repeated call says so. A worker of it that starts later records it
-- again, enabled. Locks: that of deployments and that of rollouts, until commit: those under way are waited for.
create or replace function pgflow.forget_worker_function(function_name text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_name text := forget_worker_function.function_name;
  v_live bigint;
begin
  perform pgflow._lock_deployments();
  perform pgflow._lock_rollouts();
  perform pgflow._check_function_names(array[v_name]);
  if exists (
    select from pgflow.rollout_functions f join pgflow.rollouts r on r.rollout_id = f.rollout_id where f.function_name = v_name and r.finished_at is null
  ) then
    raise exception 'worker function % is part of the open rollout', v_name
      using errcode = 'object_not_in_prerequisite_state', hint = 'finish the rollout, then forget the function';
  end if;
  v_live := (
    select count(*) from pgflow.workers w
    where w.function_name = v_name and pgflow._is_alive(w)
  ) + (select count(*) from pgflow._waiting_workers() w where w.function_name = v_name);
  if v_live > 0 then
    raise exception 'worker function % still has live workers: %', v_name, v_live
      using errcode = 'object_not_in_prerequisite_state', hint = 'stop them, then forget the function';
  end if;
  delete from pgflow.rollout_functions f where f.function_name = v_name;
  delete from pgflow.worker_functions f where f.function_name = v_name;
end;
$$;
