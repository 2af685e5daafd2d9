-- begin_rollout(function_names, new_function_names): the first two steps of a rollout in one transaction: records which
-- of the functions are enabled, disables them and deprecates their live workers. New functions, those of queues that
-- the new version brings along, are recorded if they are unknown, as enabled before, so that their workers wait too;
-- known ones among them are treated as the others. Called again with the same functions, however they are divided,
-- while the rollout is open, it resumes: what was recorded stays, and what somebody enabled in between is disabled and
-- deprecated again. Returns each function with whether it was enabled and how many of its old workers still live.
-- Raises undefined_object for an unknown function that is not given as new, object_not_in_prerequisite_state while a
-- rollout of other functions is open, invalid_parameter_value for a new function without a name; nothing is recorded
-- then.
-- Locks: the rollout's record, the functions' rows in order, their workers' rows; until commit.
create or replace function pgflow.begin_rollout(p_function_names text[], p_new_function_names text[] default '{}')
returns table (function_name text, was_enabled boolean, live_workers int)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_names text[] := array(select distinct n.name from unnest(p_function_names || p_new_function_names) as n (name) order by 1);
  v_rollout_id bigint;
  v_open text[];
begin
  perform pgflow._lock_rollouts();
  if exists (select from unnest(p_new_function_names) as n (name) where coalesce(n.name, '') = '') then
    raise exception 'the name of a new worker function is empty' using errcode = 'invalid_parameter_value';
  end if;
  insert into pgflow.worker_functions (function_name)
  select distinct n.name from unnest(p_new_function_names) as n (name) order by 1
  on conflict do nothing;
  perform pgflow._check_function_names(v_names);
  select r.rollout_id, array(select f.function_name from pgflow.rollout_functions f where f.rollout_id = r.rollout_id order by 1)
  into v_rollout_id, v_open
  from pgflow.rollouts r where r.finished_at is null;
  if v_open <> v_names then
    raise exception 'a rollout of % is open', array_to_string(v_open, ', ')
      using errcode = 'object_not_in_prerequisite_state', hint = 'finish it first, or begin with the same functions to resume it';
  end if;
  if v_rollout_id is null then
    insert into pgflow.rollouts default values returning rollout_id into v_rollout_id;
  end if;
  insert into pgflow.rollout_functions (rollout_id, function_name, was_enabled)
  select v_rollout_id, s.function_name, s.was_enabled from pgflow._switch_worker_functions(v_names, false) s
  on conflict do nothing;
  update pgflow.workers w set deprecated_at = clock_timestamp()
  where w.function_name = any (v_names) and w.deprecated_at is null and w.stopped_at is null;
  return query
    select f.function_name, f.was_enabled, (select count(*)::int from pgflow._old_workers(f.function_name))
    from pgflow.rollout_functions f
    where f.rollout_id = v_rollout_id
    order by f.function_name;
end;
$$;
