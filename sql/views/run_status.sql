-- How each run stands. Tasks are those of the steps that have started and were not skipped; done ones have completed,
-- or are elements that failed for good and gave null (the failed ones); done steps have completed, or were skipped in a
-- run that completed; steps that have ended include all that were skipped and the failed ones.
create or replace view pgflow.run_status as
select r.run_id, r.flow_alias, r.flow_slug, r.started_as, r.status, r.started_at, e.ended_at,
  coalesce(e.ended_at, clock_timestamp()) - r.started_at as duration,
  s.steps, s.steps_done, s.tasks, s.tasks_done, r.error_step_slug, r.error_message, r.restart_of_run_id,
  r.completed_at, r.failed_at, r.cancelled_at, r.remaining_steps, s.steps_ended, s.tasks_failed
from pgflow.runs r
cross join lateral (select coalesce(r.completed_at, r.failed_at, r.cancelled_at) as ended_at) e
cross join lateral (
  select count(*)::int as steps, count(*) filter (where s.status = 'completed' or (s.status = 'skipped' and r.status = 'completed'))::int as steps_done,
    count(*) filter (where s.status not in ('created', 'started'))::int as steps_ended,
    coalesce(sum(s.initial_tasks) filter (where s.remaining_tasks is not null), 0)::int as tasks,
    coalesce(sum(s.initial_tasks - s.remaining_tasks), 0)::int as tasks_done, coalesce(sum(s.failed_tasks), 0)::int as tasks_failed
  from pgflow.step_states s
  where s.run_id = r.run_id
) s;

comment on view pgflow.run_status is 'Status, duration, progress and error of each run.';
