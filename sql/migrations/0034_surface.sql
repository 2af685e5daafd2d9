-- Constraints have the names that pgflow's clients and queries know, and those of its checks that tables lacked.
alter table pgflow.runs rename constraint runs_status_check to status_is_valid;
alter table pgflow.runs rename constraint runs_have_one_end to completed_at_or_failed_at;

alter table pgflow.step_states rename constraint completed_has_no_remaining_tasks to status_and_remaining_tasks_match;
alter table pgflow.step_states rename constraint remaining_tasks_is_of_started_steps to remaining_tasks_state_consistency;
alter table pgflow.step_states rename constraint started_has_initial_tasks to initial_tasks_known_when_started;
alter table pgflow.step_states rename constraint output_is_of_completed_steps to output_only_for_completed_or_null;
alter table pgflow.step_states rename constraint skip_reason_is_of_skipped_steps to skip_reason_matches_status;
alter table pgflow.step_states rename constraint step_states_have_one_end to completed_at_or_failed_at_or_skipped_at;

alter table pgflow.step_tasks rename constraint output_is_of_ended_tasks to output_valid_only_for_completed;
alter table pgflow.step_tasks rename constraint step_tasks_attempts_count_check to attempts_count_nonnegative;
alter table pgflow.step_tasks rename constraint step_tasks_have_one_end to completed_at_or_failed_at;
alter table pgflow.step_tasks
  add constraint completed_at_is_after_started_at check (completed_at >= started_at),
  add constraint failed_at_is_after_started_at check (failed_at >= started_at);

-- The retention of prune_data_older_than: of a type of its own, so that a user's function of that name, which takes an
-- interval, is another one, and a call with an interval alone finds one of them.
create domain pgflow.retention as interval;
drop function if exists pgflow.prune_data_older_than(interval, int);

-- It has a third argument.
drop function if exists pgflow.ensure_flow_compiled(text, jsonb);
