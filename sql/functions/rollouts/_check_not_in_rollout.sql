-- Raises object_not_in_prerequisite_state if one of the worker functions is part of the open rollout: its record alone
-- decides what is enabled, and when.
-- Locks: that of rollouts, until commit.
create or replace function pgflow._check_not_in_rollout(p_function_names text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_held text;
begin
  perform pgflow._lock_rollouts();
  select string_agg(f.function_name, ', ' order by f.function_name) into v_held
  from pgflow.rollout_functions f join pgflow.rollouts r on r.rollout_id = f.rollout_id
  where r.finished_at is null and f.function_name = any (p_function_names);
  if v_held is not null then
    raise exception 'the open rollout keeps these worker functions disabled until it is finished: %', v_held
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'finish it, which enables those that were enabled before: luaflow rollout finish (--force while old workers are still alive)';
  end if;
end;
$$;
