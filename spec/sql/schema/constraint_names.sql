-- Constraints have the names that pgflow's users know.
begin;
\ir ../support/fixtures.sql
select plan(3);

create function pg_temp.lacking(p_table regclass, variadic p_names text[]) returns text[] language sql as $$
  select array_agg(n) from unnest(p_names) n where not exists (select from pg_constraint c where c.conrelid = p_table and c.conname = n)
$$;
select is(pg_temp.lacking('pgflow.runs', 'completed_at_or_failed_at', 'completed_at_is_after_started_at', 'failed_at_is_after_started_at', 'status_is_valid',
  'runs_pkey', 'runs_flow_slug_fkey'), null, 'runs');
select is(pg_temp.lacking('pgflow.step_states', 'status_is_valid', 'status_and_remaining_tasks_match', 'remaining_tasks_state_consistency',
  'initial_tasks_known_when_started', 'output_only_for_completed_or_null', 'skip_reason_matches_status', 'completed_at_or_failed_at_or_skipped_at',
  'started_at_is_after_created_at', 'completed_at_is_after_started_at', 'failed_at_is_after_started_at', 'skipped_at_is_after_created_at',
  'step_states_pkey'), null, 'step_states');
select is(pg_temp.lacking('pgflow.step_tasks', 'valid_status', 'output_valid_only_for_completed', 'attempts_count_nonnegative', 'completed_at_or_failed_at',
  'completed_at_is_after_queued_at', 'failed_at_is_after_queued_at', 'started_at_is_after_queued_at', 'completed_at_is_after_started_at',
  'failed_at_is_after_started_at', 'step_tasks_pkey'), null, 'step_tasks');

select * from finish();
rollback;
