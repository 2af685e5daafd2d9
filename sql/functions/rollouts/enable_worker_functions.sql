-- enable_worker_functions(function_names): enables worker functions; nothing is changed if one is unknown
-- (undefined_object). Their workers that wait start within 2 s.
-- Refused (object_not_in_prerequisite_state) for a function of the open rollout, whose fence it is: finish_rollout
-- enables those that were enabled before.
-- Returns each with its new and its former state. A repeated call changes nothing. Locks: that of rollouts; the
-- functions' rows, in order; until commit.
create or replace function pgflow.enable_worker_functions(p_function_names text[])
returns table (function_name text, enabled boolean, was_enabled boolean)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow._check_function_names(p_function_names);
  perform pgflow._check_not_in_rollout(p_function_names);
  return query select s.* from pgflow._switch_worker_functions(p_function_names, true) s;
end;
$$;
