-- disable_worker_functions(function_names): disables worker functions; nothing is changed if one is unknown
-- (undefined_object). A worker of theirs that starts or reloads waits; those that run continue.
-- Refused (object_not_in_prerequisite_state) for a function of the open rollout, which would enable it at its end all
-- the same.
-- Returns each with its new and its former state. A repeated call changes nothing. Locks: that of rollouts; the
-- functions' rows, in order; until commit.
create or replace function pgflow.disable_worker_functions(p_function_names text[])
returns table (function_name text, enabled boolean, was_enabled boolean)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow._check_function_names(p_function_names);
  perform pgflow._check_not_in_rollout(p_function_names);
  return query select s.* from pgflow._switch_worker_functions(p_function_names, false) s;
end;
$$;
