-- finish_rollout(force): the last step of a rollout: enables those of its functions that were enabled when it began,
-- and closes it. Returns each function with its state.
-- Raises object_not_in_prerequisite_state if no rollout is open, and, unless forced, while an old worker still lives.
-- Locks: the rollout's record, the functions' rows in order; until commit.
create or replace function pgflow.finish_rollout(p_force boolean default false) returns table (function_name text, enabled boolean)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_rollout_id bigint;
  v_waiting text;
begin
  perform pgflow._lock_rollouts();
  select r.rollout_id into v_rollout_id from pgflow.rollouts r where r.finished_at is null;
  if v_rollout_id is null then
    raise exception 'no rollout is open' using errcode = 'object_not_in_prerequisite_state', hint = 'open one: luaflow rollout begin NAME...';
  end if;
  select string_agg(format('%s (%s)', s.function_name, s.live_workers), ', ') into v_waiting
  from pgflow.rollout_status() s where s.live_workers > 0;
  if v_waiting is not null and p_force is not true then
    raise exception 'old workers are still alive: %', v_waiting
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'wait until they have drained, or stop them; to finish all the same: luaflow rollout finish --force';
  end if;
  perform pgflow._switch_worker_functions(
    array(select f.function_name from pgflow.rollout_functions f where f.rollout_id = v_rollout_id and f.was_enabled), true
  );
  update pgflow.rollouts r set finished_at = clock_timestamp() where r.rollout_id = v_rollout_id;
  return query
    select s.function_name, s.enabled
    from pgflow.rollout_functions f
    join pgflow.worker_functions s on s.function_name = f.function_name
    where f.rollout_id = v_rollout_id
    order by s.function_name;
end;
$$;
