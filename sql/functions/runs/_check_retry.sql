-- Raises object_not_in_prerequisite_state if a run cannot be retried: it did not fail and was not cancelled, or its
-- version is inactive and a step that would run is not handled by every live worker of its queue, or there is none
-- (I6). Workers are judged under READ COMMITTED only, and under the deployment lock, shared, which the
-- caller holds unless the alias has moved in between.
create or replace function pgflow._check_retry(p_run pgflow.runs) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_active text := (select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = p_run.flow_alias);
  v_unhandled text;
begin
  if p_run.status not in ('failed', 'cancelled') then
    raise exception 'run % cannot be retried: it is %', p_run.run_id, p_run.status
      using errcode = 'object_not_in_prerequisite_state', hint = 'retry only a run that is failed or cancelled, or start a new run';
  end if;
  if v_active = p_run.flow_slug then
    return;
  end if;
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception 'flow % is not the active version, and this transaction does not see the workers as they are now', p_run.flow_slug
      using errcode = 'object_not_in_prerequisite_state', hint = 'retry the run in a transaction of isolation level READ COMMITTED';
  end if;
  begin
    lock table pgflow.deployment_lock in row share mode nowait;
  exception when lock_not_available then
    raise exception 'run % cannot be retried now: its version has just been replaced', p_run.run_id
      using errcode = 'lock_not_available', hint = 'try again';
  end;
  select string_agg(s.step_slug, ', ' order by s.step_index) into v_unhandled
  from pgflow.steps s
  where s.flow_slug = p_run.flow_slug
    and not exists (
      select from pgflow.step_states t where t.run_id = p_run.run_id and t.step_slug = s.step_slug and t.status = 'completed'
    )
    and not pgflow._is_handled(s.queue_name, s.flow_slug, s.step_slug);
  if v_unhandled is not null then
    raise exception 'flow % is not the active version, and not every live worker of their queues handles its steps %', p_run.flow_slug, v_unhandled
      using errcode = 'object_not_in_prerequisite_state', hint = case
        when v_active is null then format('start workers that have %s, active or with luaflow.retain, then retry the run', p_run.flow_slug)
        else format('add %s to the workers with luaflow.retain, or start a new run of %s, whose active version is %s', p_run.flow_slug, p_run.flow_alias,
          v_active)
      end;
  end if;
end;
$$;
